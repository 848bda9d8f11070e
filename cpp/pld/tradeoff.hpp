// SPDX-License-Identifier: Apache-2.0
// The trade-off between the errors of a test of P against Q. By Legendre duality (Dong, Roth & Su 2022, Proposition 6),
// the largest power (true positive rate) at false positive rate x is
//     power(x) = min over alpha >= 0 of h(alpha) + alpha x.
#pragma once

#include <cmath>

#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// One less a rate, rounded towards 0 or 1; it is exact for 0 and from 1/2 on.
inline double complement(double rate, double towards) {
  const double rest = 1 - rate;
  return rate == 0 || rate >= 0.5 ? rest : std::nextafter(rest, towards);  // proof: complement
}

/// A bound of the power and the loss log alpha that attains it.
struct PowerBound {
  double value, loss;
};

/// power(fpr) <= value, from the kinks of an upper curve: every alpha gives a bound. 0 < fpr <= 1.
PowerBound power_above(const CurveKinks& upper, double fpr);

/// power(fpr) >= value, from the kinks of a lower curve. `above` is an upper bound for the same pair (value 1 and loss
/// -inf, attained at alpha = 0, if there is none). If h(alpha) + alpha fpr exceeds `above` on either side of its
/// minimum, convexity keeps the sum above it from there on, so only kinks between are looked at.
PowerBound power_below(const CurveKinks& lower, double fpr, const PowerBound& above);

}  // namespace hockeystick
