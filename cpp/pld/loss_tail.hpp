// SPDX-License-Identifier: Apache-2.0
// The tail P(L > eps) from the hockey-stick curve. The tail is h(alpha) + alpha |h'(alpha+)| at alpha = e^eps, where
// the tangent from the right meets alpha = 0. h is convex, so that its chords to either side enclose the slope.
#pragma once

#include "numeric/interval.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// delta(eps) from delta(0), for eps >= 0: h falls, and its slope is -Q(L > eps) at least.
Interval delta_from_zero(const Interval& at_zero, double eps);

Interval loss_tail(const CurveKinks& upper, double delta_lower, double eps);

}  // namespace hockeystick
