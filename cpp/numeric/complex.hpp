// SPDX-License-Identifier: Apache-2.0
// Operations on complex numbers for which std::complex calls the C library or the compiler's own code, which differ
// between platforms.
#pragma once

#include <cmath>
#include <complex>

#include "numeric/elementary.hpp"

namespace hockeystick {

/// |z|, as math::hypot.
inline double absolute(const std::complex<double>& z) { return math::hypot(z.real(), z.imag()); }

/// At least |z|, by few u of it and 1e-150, in less time.
inline double modulus_above(const std::complex<double>& z) {
  return std::sqrt(z.real() * z.real() + z.imag() * z.imag() + 1e-300) * (1 + 0x1p-50);
}

/// |z|^2 by two products and their sum: relative error at most 2 u.
inline double squared_modulus(const std::complex<double>& z) { return z.real() * z.real() + z.imag() * z.imag(); }

/// a b, without the recovery of infinities: relative error at most sqrt(5) u (Brent, Percival & Zimmermann 2007).
inline std::complex<double> product_of(const std::complex<double>& a, const std::complex<double>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// a / b: relative error at most 6 u, *proved*. For |c| >= |d|, b = c + i d and r = d / c (1 u) it is (a + i a') times
/// 1 - i r, off by 2.5 u, over c + d r, a sum of equal signs that is off by 2 u, and one division.
inline std::complex<double> quotient(const std::complex<double>& a, const std::complex<double>& b) {
  const double x = a.real(), y = a.imag(), c = b.real(), d = b.imag();
  if (std::fabs(c) >= std::fabs(d)) {
    const double r = d / c, size = c + d * r;
    return {(x + y * r) / size, (y - x * r) / size};
  }
  const double r = c / d, size = d + c * r;
  return {(x * r + y) / size, (y * r - x) / size};
}

}  // namespace hockeystick
