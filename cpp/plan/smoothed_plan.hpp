// SPDX-License-Identifier: Apache-2.0
// Plans smoothed contours: where they run, how much they are smoothed, and how many samples they take.
#pragma once

#include "plan/contour_plan.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// What a smoothed contour is to be.
struct SmoothedNeeds {
  double log_tolerance;              // relative width of delta that is wanted
  double points;                     // of all lines of both sides
  double caution = 0;                // log of a factor by which tails and aliases are to be smaller than that asks for
  double most_smoothing = infinity;  // [nats]
  bool may_decay = true;             // whether the decay of moments may be relied on
};

/// The cost is infinite if too many samples are needed. Smoothing takes less than half of the tolerance.
ContourPlan plan_smoothed_contour(const Saddlepoint& saddlepoint, const Saddle& at, const SmoothedNeeds& needs);

}  // namespace hockeystick
