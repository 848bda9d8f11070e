// SPDX-License-Identifier: Apache-2.0
// Normal tails, accurate enough for forecasts.
#pragma once

#include "numeric/elementary.hpp"

namespace hockeystick {

/// e^(x^2/2) P(Z > x), to about 1e-5: a fitted rational function, exact at 0 and at infinity; reflected for x < 0.
inline double scaled_normal_tail(double x) {
  if (x < 0) return math::exp(x * x / 2) - scaled_normal_tail(-x);
  if (x > 1e6) return 1 / (2.5066282746310002 * x);  // powers of x may overflow
  const double above = 0.5 + x * (0.397752 + x * (0.141311 + x * 0.0226044));
  return above / (1 + x * (1.5933 + x * (1.05454 + x * (0.354197 + x * (0.0226044 * 2.5066282746310002)))));
}

}  // namespace hockeystick
