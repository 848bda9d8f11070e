// SPDX-License-Identifier: Apache-2.0
// Where smoothed contours run, how much they are smoothed and how many samples they take: forecasts only.
#pragma once

#include "plan/contour_plan.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// A smoothed contour for steps of point masses, and its cost [ns]: infinite if it needs too many samples.
struct DiscretizedContourPlan {
  Contour contour;
  double smoothing, cost;  // its standard deviation [nats]
  double reach = 0;        // the frequency up to which moduli beyond the samples are bounded; 0: only by smoothing
};
/// For discretized steps. Smoothing takes less than half of the relative width of delta wanted. `decaying`: whose
/// moments tell where theirs may be trusted to have decayed; null for nowhere.
DiscretizedContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                                double log_tolerance, const Saddlepoint* decaying);
/// The same for laws of so many atoms in all, with at most so much smoothing [nats]. `may_decay`: whether the moments
/// may be trusted to decay.
DiscretizedContourPlan plan_contour_of_atoms(const Saddlepoint& saddlepoint, double atoms, const Saddle& at,
                                             double log_tolerance, double most_smoothing, bool may_decay);

}  // namespace hockeystick
