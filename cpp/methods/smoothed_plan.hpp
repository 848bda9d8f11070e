// SPDX-License-Identifier: Apache-2.0
// Plans smoothed contours: where they run, how much they are smoothed, and how many samples they take.
#pragma once

#include "plan/contour_plan.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// A smoothed contour for point masses, and its cost [ns], infinite if it needs too many samples.
struct DiscretizedContourPlan {
  Contour contour;
  double smoothing, cost;  // smoothing: standard deviation [nats]
  double reach = 0;        // up to this frequency the moduli of moments beyond the samples are bounded; 0: not at all
};
/// For discretized steps. Smoothing takes less than half of the wanted relative width of delta. `decaying`: forecasts
/// where moments have decayed; null if they are not to be relied on.
DiscretizedContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                                double log_tolerance, const Saddlepoint* decaying);
/// For laws with this many atoms in all. `most_smoothing`: upper limit of the smoothing [nats]; `may_decay`: whether
/// the decay of moments may be relied on.
DiscretizedContourPlan plan_contour_of_atoms(const Saddlepoint& saddlepoint, double atoms, const Saddle& at,
                                             double log_tolerance, double most_smoothing, bool may_decay);

}  // namespace hockeystick
