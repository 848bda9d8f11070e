// SPDX-License-Identifier: Apache-2.0
// Plans smoothed contours: where they run, how much they are smoothed, and how many samples they take.
#pragma once

#include "plan/contour_plan.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// For discretized steps; the cost is infinite if they need too many samples. Smoothing takes less than half of the
/// wanted relative width of delta. `decaying`: forecasts where moments have decayed; null if they are not to be relied
/// on.
ContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                     double log_tolerance, const Saddlepoint* decaying);
/// For laws with this many atoms in all. `caution`: log of the factor by which tails and aliases are to be smaller than
/// the tolerance asks for; `most_smoothing`: upper limit of the smoothing [nats]; `may_decay`: whether the decay of
/// moments may be relied on.
ContourPlan plan_contour_of_atoms(const Saddlepoint& saddlepoint, double atoms, const Saddle& at, double log_tolerance,
                                  double caution, double most_smoothing, bool may_decay);

}  // namespace hockeystick
