// SPDX-License-Identifier: Apache-2.0
// Zeros of monotone functions, for planning (neither side is guaranteed), and a bisection by a condition.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A point near the zero of a monotone function between `a` and `b`, f(a) and f(b) of opposite sign, by the Illinois
/// variant of regula falsi. It works on asinh(f), as f may grow exponentially, and bisects whenever three steps have
/// not halved the bracket. Returns the end with smaller |f| if the signs agree.
template <class Function>
double monotone_root(Function&& function, double a, double b, double precision) {
  const auto f = [&](double x) { return math::asinh(function(x)); };
  double fa = f(a), fb = f(b);
  if (!(fa * fb < 0)) return std::fabs(fa) < std::fabs(fb) ? a : b;
  double width = std::fabs(b - a);
  for (int i = 1; i <= 100; ++i) {
    double x = (fa * b - fb * a) / (fa - fb);
    if (i % 4 == 0) {
      if (std::fabs(b - a) > 0.5 * width) x = a + (b - a) / 2;
      width = std::fabs(b - a);
    }
    const double fx = f(x);
    if (fx * fb < 0) {
      a = b;
      fa = fb;
    } else {
      fa /= 2;
    }
    const double step = std::fabs(x - b);
    b = x;
    fb = fx;
    if (fx == 0 || step <= precision * std::fabs(x)) break;
  }
  return b;
}

/// Halves an interval that has a place up to which a condition holds: it holds at the lower end and not at the upper
/// one. The bisection ends when the interval is as narrow as `precision` times its larger end, or after `most`
/// halvings.
template <class Condition>
Interval halved(double low, double high, int most, double precision, const Condition& holds) {
  for (int k = 0; k < most && high - low > precision * std::max(std::fabs(low), std::fabs(high)); ++k) {
    const double middle = low + (high - low) / 2;
    (holds(middle) ? low : high) = middle;
  }
  return {low, high};
}

}  // namespace hockeystick
