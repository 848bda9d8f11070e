// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "forecast/transform_plan.hpp"
#include "methods/contour_sum.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A composition of discretized steps from both sides by smoothed contour sums: no transform, and a cost that hardly
/// grows with the counts.
class DiscretizedContour {
 public:
  /// What the plan says of interval and supports; smoothing takes about a quarter of the relative width of delta
  /// wanted. At most at `budget`, as the planner counts.
  DiscretizedContour(const Direction& direction, const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                     double log_tolerance, double budget);

  /// Whether the budget sufficed; nothing else may be asked if not.
  bool is_affordable() const { return upper_.has_value(); }

  Interval epsilon(double delta, double start) const;
  Interval delta(double epsilon) const;

  /// At an epsilon: what tail, aliases and rounding of both sums take.
  ContourDelta losses(double epsilon) const;
  const Contour& contour() const { return contour_; }
  double cost() const { return cost_; }

 private:
  struct Side {
    std::vector<StepPmf> steps;
    double infinity_mass, loss_error;
    std::optional<ContourSum> sum;
  };
  void add(const Direction& direction, const Saddlepoint& saddlepoint, std::vector<StepPmf> steps,
           std::optional<Side>& to) const;

  Contour contour_;
  double radius_, cost_ = 0;
  Held room_;
  std::optional<Side> upper_, lower_;
};

}  // namespace hockeystick
