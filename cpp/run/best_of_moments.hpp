// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of the best of a random number of runs. Pairs above its curve hide them, as these pairs count the
// curve's last value as infinite losses.
//
// With D(x) = f'(1 - x) and ranks p, q <= g(p) of an output y, as in best_of.hpp, the best is y with density D(p) P(dy)
// or D(q) Q(dy), and D falls. So for every t > 0
//     E e^(t L) of the best <= sup over x of D(x)^(t + 1) D(g(x))^-t  E_P e^(t L)  +  f(0),
// the outcome "no run" being alike: cpp/proofs/best-of-runs.md. Divergences do not fall with the order, so that each is
// at most what the bound says of a larger one. A score that tells nothing releases P with probability 1 - f(0).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechanisms/curves/best_of.hpp"
#include "mechanisms/moments_alone.hpp"
#include "run/run_curve.hpp"

namespace hockeystick {

class BestOfMoments final : public MomentsAlone {
 public:
  /// `back`: a curve above that of the reverse of a run; without points nothing is known of the reverse. `attained`:
  /// whether some data attain the run. A score that ignores the output then attains the lower ends.
  BestOfMoments(Direction run, const NumberOfRuns& runs, const EnclosedCurve& back, bool attained);

  /// Upper bound of log E e^((order - 1) L), for each order.
  std::vector<double> log_moments(std::span<const double> orders) const;

  Interval infinity_mass() const override;
  Interval log_moment_bounds(double t) const override;
  double renyi_slope_bound(double order) const override;
  double renyi_slope_limit() const override;

 private:
  Direction run_;
  NumberOfRuns runs_;
  RankRatios ratios_;
  bool attained_;
};

/// The moment of a run, in the forward direction. `moments`: what dominates its divergences, closer than its curve.
std::shared_ptr<const DominatingPair> best_of_moments(const BothWays& run, const Direction& moments,
                                                      const NumberOfRuns& runs, double cells, double tail,
                                                      bool attained);

}  // namespace hockeystick
