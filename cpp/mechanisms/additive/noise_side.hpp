// SPDX-License-Identifier: Apache-2.0
// Masses of noise on either side of a threshold, and between two thresholds, from the tails there.
#pragma once

#include <algorithm>
#include <cmath>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// A threshold as seen from one of the two centres.
struct NoiseSide {
  double x, log_f;            // log_f = g(x)
  double tail, error, scale;  // F(-|x|) e^-scale is within `error` of `tail`
  double steepness;           // at least |x g'(x)|
};

/// A mass whose `value` is off by at most `error`.
struct MassEstimate {
  double value, error;

  double upper() const { return value + error; }
};

inline MassEstimate middle_of(const Interval& bounds) {
  const double error = (bounds.upper - bounds.lower) / 2;
  return {bounds.lower + error, error + 4 * unit_roundoff * bounds.upper};
}

/// The following are masses times e^shift.
inline MassEstimate tail_of(const NoiseSide& side, double shift) {
  if (side.scale == 0) {
    const double factor = math::exp(shift);
    return {factor * side.tail, factor * (side.error + 6 * unit_roundoff * side.tail)};
  }
  const double exponent = shift + side.scale, factor = math::exp(exponent);
  return {factor * side.tail, factor * (side.error + (8 + std::fabs(exponent)) * unit_roundoff * side.tail)};
}

inline MassEstimate all_but(const MassEstimate& part, double shift) {
  const double whole = math::exp(shift);
  return {std::max(0.0, whole - part.value), part.error + 6 * unit_roundoff * whole};
}

inline MassEstimate mass_below(const NoiseSide& side, double shift) {
  const MassEstimate tail = tail_of(side, shift);
  return side.x <= 0 ? tail : all_but(tail, shift);
}

inline MassEstimate mass_above(const NoiseSide& side, double shift) {
  const MassEstimate tail = tail_of(side, shift);
  return side.x >= 0 ? tail : all_but(tail, shift);
}

inline MassEstimate difference(const NoiseSide& low, const NoiseSide& high, double shift) {
  const MassEstimate a = tail_of(low, shift), b = tail_of(high, shift);
  if (low.x < 0 && high.x > 0) return all_but({a.value + b.value, a.error + b.error}, shift);
  return {std::max(0.0, high.x <= 0 ? b.value - a.value : a.value - b.value),
          a.error + b.error + unit_roundoff * (a.value + b.value)};
}

}  // namespace hockeystick
