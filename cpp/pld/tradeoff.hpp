// SPDX-License-Identifier: Apache-2.0
// Trade-off between the errors of a test of P against Q. At false positive rate x its largest power (true
// positive rate) is, by Legendre duality (Dong, Roth & Su 2022, Proposition 6),
//     power(x) = min over alpha >= 0 of h(alpha) + alpha x.
#pragma once

#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// A bound of the power and the loss log alpha at which it is attained.
struct PowerBound {
  double value, loss;
};

/// power(fpr) <= value, from the kinks of an upper curve: every alpha gives a bound. 0 < fpr <= 1.
PowerBound power_above(const CurveKinks& upper, double fpr);

/// power(fpr) >= value, from the kinks of a lower curve. `above` is an upper bound for the same pair (value 1
/// and loss -inf, attained at alpha = 0, if there is none): once h(alpha) + alpha fpr exceeds it on either side of
/// where it is attained, convexity keeps the sum above it beyond. Only kinks between are looked at.
PowerBound power_below(const CurveKinks& lower, double fpr, const PowerBound& above);

}  // namespace hockeystick
