// SPDX-License-Identifier: Apache-2.0
// Renyi divergences of mechanisms that are made from runs. Pairs above their curves hide these divergences.
//
// If an adversary chooses one of several runs by earlier outputs, each conditional moment E e^(t L) is at most the
// largest moment of these runs. On a sample that holds a record with probability q a moment is at most 1 - q + q times
// that of the whole: x^(t + 1) y^-t is jointly convex. cpp/proofs/run-moments.md.
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/moments_alone.hpp"
#include "methods/question.hpp"

namespace hockeystick {

/// Upper bound of how often an infinite loss is expected in a run.
double infinity_masses(const Direction& run);

class RunMoments final : public MomentsAlone {
 public:
  /// `rate`, in (0, 1], is an upper bound of the probability that the run is on a sample with the record. `attained`:
  /// whether an adversary may choose each of the runs, and the rate is 1.
  RunMoments(std::vector<Direction> runs, double rate, bool attained);

  Interval infinity_mass() const override;
  Interval log_moment_bounds(double t) const override;
  double renyi_slope_bound(double order) const override;
  double renyi_slope_limit() const override;

 private:
  std::vector<Direction> runs_;
  double rate_;
  bool attained_;
};

}  // namespace hockeystick
