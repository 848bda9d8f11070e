// SPDX-License-Identifier: Apache-2.0
// Searches for the distance from a tilt at which an excess that falls with it is 0.
#pragma once

#include <algorithm>
#include <cmath>

namespace hockeystick {

/// One step of a search: the excess over the goal, which falls with the distance, and the next distance of Newton's
/// method.
struct Attempt {
  double excess, next;
};

/// The rate `fall` at which the excess falls is about proportional to the distance s: Newton's method in s^2.
inline Attempt attempt(double s, double excess, double fall) {
  return {excess, std::sqrt(s * s + 2 * s * excess / fall)};
}

/// The distance in (0, limit] at which the excess is 0, to an accuracy, by Newton's method from s; if that leaves the
/// bracket, by bisection. If the excess jumps, a point next to the jump.
template <class Try>
double search(Try&& attempt_at, double s, double limit, double accuracy) {
  constexpr int most_steps = 80;
  double low = 0, high = limit;
  s = s > 0 && s < limit ? s : limit;
  for (int i = 0; i < most_steps; ++i) {
    const Attempt tried = attempt_at(s);
    if (std::fabs(tried.excess) <= accuracy || high - low <= 1e-4 * high || (tried.excess > 0 && s >= high)) break;
    (tried.excess > 0 ? low : high) = s;
    const bool inside = tried.next > low && tried.next < high;
    s = std::min(inside ? tried.next : low + (high - low) / 2, 8 * s);
  }
  return s;
}

}  // namespace hockeystick
