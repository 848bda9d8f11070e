// SPDX-License-Identifier: Apache-2.0
// P(L > eps) from the hockey-stick curve. It is h(alpha) + alpha |h'(alpha+)| at alpha = e^eps: where the tangent
// from the right meets alpha = 0. h is convex, so that its chords to either side enclose the slope.
#pragma once

#include "numeric/interval.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

Interval loss_tail(const CurveKinks& upper, double delta_lower, double eps);

/// Encloses the smallest t with P(L > t) <= tail, 0 < tail < 1; -inf or inf where the window does not reach. `lower`
/// is a lower curve of the same pair.
Interval loss_tail_quantile(const CurveKinks& upper, const CurveTable& lower, double tail);

/// Bound of P(L > eps), of pmf's side, from the masses themselves: for compositions of steps whose losses were rounded
/// up (upper) or down (lower), not for other estimates. A loss that is eps exactly, losses without errors, is not
/// counted.
double bucket_tail(const LossPmf& pmf, double eps);

}  // namespace hockeystick
