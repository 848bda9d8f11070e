// SPDX-License-Identifier: Apache-2.0
// Integrals of e^g from values of a concave g: g lies above its chords and below their extensions.
#pragma once

#include <algorithm>
#include <cmath>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

struct ConcavePoint {
  double x, g;
};

/// (e^z - 1) / z, the mean of e^y between 0 and z: relative error (8 + 4 |z|) u with that of a z within 4 u.
inline double mean_exponential(double z) { return z == 0 ? 1.0 : math::expm1(z) / z; }

/// Bounds of e^shift times the integral of e^g from `left` to `right`, `middle` about half way; each g within `error`.
/// Over each half, g lies above the half's own chord, where an error of g counts once, and below the extension of the
/// other half's chord, where it counts three times at the far end.
inline Interval concave_mass(ConcavePoint left, ConcavePoint middle, ConcavePoint right, double error, double shift) {
  const double first = middle.x - left.x, second = right.x - middle.x;
  if (!(right.x > left.x)) return {0, 0};
  if (!(std::fabs(first - second) <= 1e-3 * first)) return {0, infinity};  // no double lies half way
  const double down = left.g - middle.g, rise = right.g - middle.g;
  if (!(std::fabs(down) + std::fabs(rise) < 600)) return {0, infinity};  // where e^g may overflow
  const double ratio = second / first, width = math::log(first);
  const double lower = mean_exponential(down) + ratio * mean_exponential(rise);
  // proof: concave-panels
  const double upper = mean_exponential(-rise / ratio) + ratio * mean_exponential(-down * ratio);
  const double exponent = middle.g + shift + width;
  const double rounding =
      (24 + 8 * (std::fabs(down) + std::fabs(rise)) + 2 * (std::fabs(middle.g + shift) + std::fabs(width))) *
      unit_roundoff;
  // What underflow takes from the exponential.
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  return {std::max(0.0, math::exp(exponent - 1.001 * error) - tiny) * lower * (1 - rounding),
          (math::exp(exponent + 3.01 * error) + tiny) * upper * (1 + rounding)};  // proof: concave-panels
}

}  // namespace hockeystick
