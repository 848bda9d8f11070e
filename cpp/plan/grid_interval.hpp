// SPDX-License-Identifier: Apache-2.0
// The discretization interval for a tolerance. One rule: connect the dots adds d^2 / 6 to the variance of a step's loss
// and the midpoint tangents take d^2 / 12, so that the two sides lie N d^2 / 4 apart in variance after N steps. The
// questions differ in the variance that they allow.
#pragma once

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// For delta at a saddle, to within log_tolerance relatively. A variance v moves log delta by v / 2 times the density
/// of the loss over delta, and the grid may take 0.55 of the tolerance. Coarser if atoms lie on the grid.
double interval_for_delta(const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance);

/// Whether each step has a finite least loss and no atoms. Then the grid has a point at the least loss, where most of
/// the mass of a rarely sampled step lies, and the step's losses can be capped (plan/closing.hpp).
bool can_close(const Direction& direction);

/// For e^K at a tilt, to within log_tolerance relatively: v raises it by v tilt (1 + tilt) / 2.
double interval_for_moment(const Saddlepoint& saddlepoint, double tilt, double log_tolerance);

/// For the first transform of a question: as `interval_for_delta`, but fine enough for deltas down to e^-log_margin
/// times this one, and for atoms off the grid, whose error is of first order.
double first_interval(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at,
                      double log_tolerance, double log_margin);

}  // namespace hockeystick
