// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "forecast/transform_plan.hpp"
#include "methods/contour_sum.hpp"
#include "methods/fft_composition.hpp"
#include "methods/method.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A smoothed contour for discretized steps, and its cost [ns]: infinite if it needs too many samples.
struct DiscretizedContourPlan {
  Contour contour;
  double radius, cost;
};
/// Smoothing takes about a quarter of the relative width of delta wanted.
DiscretizedContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                                double log_tolerance);

/// A composition of discretized steps from both sides by smoothed contour sums: no transform, and a cost that hardly
/// grows with the counts.
class DiscretizedContour final : public Evaluator {
 public:
  /// On the supports of `plan`. `near`: about the epsilon of the question.
  DiscretizedContour(const Direction& direction, const Saddlepoint& saddlepoint, const Plan& plan,
                     const DiscretizedContourPlan& contour, double near);

  Answer answer(Quantity quantity, double at, double near) const override;
  double bytes() const override { return bytes_; }

 private:
  struct Side {
    std::vector<StepPmf> steps;
    double infinity_mass, loss_error;
    std::optional<ContourSum> sum;
  };
  void add(const Direction& direction, const Saddlepoint& saddlepoint, std::vector<StepPmf> steps,
           std::optional<Side>& to) const;
  Interval epsilon(double delta, double start) const;
  Interval delta(double epsilon) const;
  ContourDelta losses(double epsilon) const;

  Contour contour_;
  double radius_, cost_, interval_, near_, bytes_;
  Reach reach_;
  Held held_;
  std::optional<Side> upper_, lower_;
};

}  // namespace hockeystick
