// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "methods/contour_sum.hpp"
#include "methods/fft_composition.hpp"
#include "methods/method.hpp"
#include "methods/smoothed_plan.hpp"
#include "numeric/interval.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// Encloses the curve of a composition by smoothed contour sums of its discretized steps, or of its atoms, from both
/// sides. The cost hardly depends on the counts.
class DiscretizedContour final : public Evaluator {
 public:
  /// Of the discretized steps of `plan`. `near`: the forecast epsilon.
  DiscretizedContour(const Direction& direction, const Saddlepoint& saddlepoint, const Plan& plan,
                     DiscretizedSteps steps, const DiscretizedContourPlan& contour, double near);
  /// Of atoms without a grid: all terms have finite laws. Up to `cut` of the mass of the run may count as infinite
  /// losses, and steps may be closed (plan/closing.hpp).
  DiscretizedContour(const Direction& direction, const DiscretizedContourPlan& contour, double cut,
                     const Closing& closing, double near);

  Answer answer(Quantity quantity, double at, double near) const override;
  double bytes() const override { return bytes_; }
  /// About the epsilon at which delta is `delta`; NaN if none was found.
  double place(double delta) const { return upper_->sum->solve(delta, near_); }
  /// About -d log delta / d epsilon.
  double slope(double epsilon) const { return upper_->sum->delta(epsilon).slope; }

 private:
  struct Side {
    std::vector<StepPmf> steps;
    double infinity_mass, loss_error;
    std::optional<ContourSum> sum;
  };
  void add(const Direction& direction, const Saddlepoint& saddlepoint, std::vector<StepPmf> steps, Decay decay,
           std::optional<Side>& to) const;
  void describe(double epsilon, Answer& result) const;
  Interval epsilon(double delta, double start) const;
  Interval delta(double epsilon) const;
  ContourDelta losses(double epsilon) const;

  Contour contour_;
  double smoothing_, cost_, interval_, near_, bytes_;
  Reach reach_;
  Held held_;
  std::optional<Side> upper_, lower_;
};

}  // namespace hockeystick
