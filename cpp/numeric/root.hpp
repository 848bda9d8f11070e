// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace hockeystick {

/// A point near the zero of a monotone function between `a` and `b`, f(a) and f(b) of opposite
/// sign, by the Illinois variant of regula falsi on asinh(f), which tames functions that explode,
/// with a bisection whenever three steps have not halved the bracket. For planning: no side is
/// guaranteed. Returns the better end if the signs agree.
template <class Function>
double monotone_root(Function&& function, double a, double b, double precision) {
  const auto f = [&](double x) { return std::asinh(function(x)); };
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

/// Moves away from `a` by doubling steps until f changes sign, then finds the zero; the last point
/// tried if it never does.
template <class Function>
double monotone_root_from(Function&& f, double a, double step, int doublings, double precision) {
  const double fa = f(a);
  double previous = a;
  for (int i = 0; i < doublings; ++i, step *= 2) {
    const double b = a + step;
    if (!(fa * f(b) > 0)) return monotone_root(f, previous, b, precision);
    previous = b;
  }
  return previous;
}

}  // namespace hockeystick
