// SPDX-License-Identifier: Apache-2.0
// The tail P(L > eps) from the hockey-stick curve. The tail is h(alpha) + alpha |h'(alpha+)| at alpha = e^eps, where
// the tangent from the right meets alpha = 0. h is convex, so that its chords to either side enclose the slope.
#pragma once

#include "numeric/interval.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

Interval loss_tail(const CurveKinks& upper, double delta_lower, double eps);

/// Encloses the smallest t with P(L > t) <= tail, 0 < tail < 1; -inf or inf if the window does not reach t. `lower` is
/// a lower curve of the same pair.
Interval loss_tail_quantile(const CurveKinks& upper, const CurveTable& lower, double tail);

/// Bound of P(L > eps), of pmf's side, from the masses themselves: for compositions of steps whose losses were rounded
/// up (upper) or down (lower), not for other estimates. If losses have no error, a loss of exactly eps does not count.
double bucket_tail(const LossPmf& pmf, double eps);

}  // namespace hockeystick
