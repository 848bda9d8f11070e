// SPDX-License-Identifier: Apache-2.0
// delta(epsilon) and P(L > epsilon) of rarely sampled steps by the number of their large losses: one, and the sum of
// all small ones; none; or more. cpp/proofs/one-large-loss.md has the bounds.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mechanisms/composition.hpp"
#include "methods/exponential_fit.hpp"
#include "methods/middle_losses.hpp"
#include "numeric/interval.hpp"
#include "plan/large_loss.hpp"

namespace hockeystick {

class OneLargeLoss {
 public:
  /// The bounds at the plan's epsilon. `tolerance` is about the relative difference that the bounds may have;
  /// `fineness` that of the cells of small losses; `rare` the P-mass of a step's losses that are not listed.
  OneLargeLoss(const Direction& direction, const LargeLossPlan& plan, double tolerance, int fineness, double rare,
               StepCurve curve = StepCurve::delta);

  /// Upper bounds of the parts of delta, or of the tail, from outcomes without a large loss, and from those with two or
  /// more.
  double none() const;
  double more() const;
  /// Encloses the part from outcomes with one large loss.
  Interval one() const;
  /// Encloses delta, or the tail.
  Interval all() const;

  /// Upper bound of the log of the probability that all losses are small, divided by the probability of small and
  /// listed ones.
  double log_spared() const { return log_spared_; }
  /// Upper bound of the error of the sum of all losses.
  double loss_error() const { return loss_error_; }
  const ChernoffTable& above() const { return above_; }
  const ChernoffTable& below() const { return below_; }

 private:
  struct Step {
    double count;
    MiddleLosses small;
    CurveKnots large;
    std::vector<double> mass;  // of large losses between the knots, and beyond, from above
    double any, lowest;        // P-mass of all large losses, and of those that are not listed, from above
    double loss_error;
    std::array<Interval, ExponentialFit::parts> log_moments;
  };
  Step step_of(const Term& term, std::span<const double> large, int fineness, double rare) const;
  double unit() const { return plan_.rate / ExponentialFit::parts; }
  void tabulate();
  double expected() const;
  double pairs() const;
  double two_within(double s) const;
  double one(std::size_t step, const ExponentialFit& fit, double epsilon, bool above) const;
  double apart(const Step& step, const ExponentialFit& fit, double epsilon, bool above) const;
  ExponentialFit best_fit(const Step& step) const;

  LargeLossPlan plan_;
  StepCurve curve_;
  std::vector<Step> steps_;
  ChernoffTable above_, below_;  // of the sum of the small losses
  double log_spared_ = 0, loss_error_ = 0;
};

/// Encloses P(L > epsilon), about to the tolerance, where one large loss decides the tail; [0, 1] elsewhere.
Interval tail_by_large_losses(const Direction& direction, const Saddlepoint& saddlepoint, double epsilon,
                              double tolerance);

}  // namespace hockeystick
