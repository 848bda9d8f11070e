// SPDX-License-Identifier: Apache-2.0
// Uncertified forecasts for questions about false positive rates.
#pragma once

#include "forecast/saddlepoint.hpp"

namespace hockeystick {

/// The saddle at which Q(L > epsilon) is about fpr.
Saddle saddle_for_fpr(const Saddlepoint& saddlepoint, double fpr);

/// Interval at which connect the dots and the tangents leave about `width` of the tail at this saddle, relatively:
/// together they move the variance of a step by d^2 / 4, and with it the tail by about tilt (1 + tilt) / 2 times
/// that. Near an end of the loss the tilt means little.
double interval_for_tail(const Saddlepoint& saddlepoint, const Saddle& at, double width);

/// Interval at which they leave about half of `width` of the power, or of what it misses, at false positive rates from
/// `smallest` to `largest`: at a rate kept, a variance moved by v moves the logarithm of either by abs(tilt) v / 2.
double interval_for_power(const Saddlepoint& saddlepoint, double smallest, double largest, double width);

/// The tilt of that saddle, at least 0, held to where the tilted composition is likely to be regular.
double tilt_for_fpr(const Saddlepoint& saddlepoint, double fpr);

}  // namespace hockeystick
