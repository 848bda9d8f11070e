// SPDX-License-Identifier: Apache-2.0
// Unit normal density, tail and interval masses, each to full relative accuracy.
//
// Tails are midpoint sums (normal_kernel.hpp), the rest Gauss-Legendre sums over panels short enough for a proved
// quadrature error (gauss_legendre.hpp), of positive terms; no error function of the platform is trusted.
#pragma once

#include "numeric/exponential.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

inline constexpr double inverse_sqrt_two_pi = 0.39894228040143267794;

/// Relative error of normal_tail (x >= 0), normal_interval and mills_ratio: *proved*, as for the
/// cell integrals in cpp/proofs/cell-rounding.md. Below 1e-290 underflow adds 1e-307.
inline constexpr double normal_error = 40 * 0x1p-53;

/// A normal density seen from a point a: phi(a + y - m) = base e^(-t y - y^2/2), t = a - m. Its
/// error, at most 22 u for |t y| <= 2, does not grow with |a|: t and t^2 are kept in two doubles.
struct LocalDensity {
  double t, base;
  LocalDensity(double a, double m) {
    const auto [hi, lo] = two_sum(a, -m);
    const auto [square, error] = two_product(hi, hi);
    t = hi;
    base = inverse_sqrt_two_pi * exp_sum(-0.5 * square, -(0.5 * error + hi * lo));
  }
  double operator()(double y) const { return base * exp_short(-y * (t + 0.5 * y)); }
};

/// Width of a panel at x that every Gauss-Legendre rule covers, for centres within `farthest` of
/// x and the panel on either side of x: width (farthest + width + 4) <= 1.6 * 4.8 / 4 < 2.
inline double normal_panel_width(double farthest) { return 1.6 / (farthest + 4.0); }

double normal_pdf(double x);

/// Mills ratio (1 - Phi(x)) / phi(x), x >= 0.
double mills_ratio(double x);

/// P(Z > x). Relative error normal_error for x >= 0; for x < 0 it is 1 - P(Z > -x).
double normal_tail(double x);

/// P(a < Z <= b); 0 if b <= a. Infinite ends allowed.
double normal_interval(double a, double b);

}  // namespace hockeystick
