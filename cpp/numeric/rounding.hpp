// SPDX-License-Identifier: Apache-2.0
// Rounding: gamma_n, outward steps, and the run-time check of the assumptions about arithmetic.
#pragma once

#include <cmath>
#include <limits>
#include <stdexcept>

#include "numeric/constants.hpp"

namespace hockeystick {

static_assert(std::numeric_limits<double>::is_iec559 && std::numeric_limits<double>::digits == 53,
              "every bound in this library assumes IEEE 754 binary64");

/// The next double above x, so that up(fl(a op b)) >= a op b. inf stays inf.
inline double up(double x) { return std::nextafter(x, infinity); }

/// The next double below x, so that down(fl(a op b)) <= a op b.
inline double down(double x) { return std::nextafter(x, -infinity); }

/// A lower bound >= 0 of a number, of which x is an approximation within a relative error and within the underflow of
/// four products. Next to 0 a relative error alone might be rounded away.
inline double lowered(double x, double relative) {
  return std::fmax(0.0, x * (1 - relative) - 4 * smallest_subnormal);  // proof: union-probability
}

/// x > 0 cut to its first significant bits, at most 53 of them: at most x, and its small multiples are exact.
inline double with_bits(double x, int bits) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(std::ldexp(mantissa, bits)), exponent - bits);
}

/// Upper bound of gamma_n = n u / (1 - n u) (Higham 2002, Lemma 3.1): a product of n factors
/// (1 + d)^(+-1), |d| <= u, is 1 + t with |t| <= gamma_n. Infinite when n u >= 1. (proved: each step outward)
inline double gamma(double n) {
  const double nu = up(n * unit_roundoff);
  return nu < 1 ? up(nu / down(1 - nu)) : infinity;
}

/// Throws std::runtime_error unless this thread rounds to nearest even and keeps subnormal numbers, as operands (no
/// DAZ) and as results (no FTZ), and std::fma rounds once. Tests this by arithmetic, without knowledge of the CPU.
inline void check_floating_point_environment() {
  const volatile double one = 1, tiny = 0x1p-60, half_ulp = 0x1p-53, odd = 1 + 0x1p-52;
  const volatile double above = one + tiny, below = one - tiny, negative = -one - tiny;
  const volatile double tie_down = one + half_ulp, tie_up = odd + half_ulp;
  if (above != 1 || below != 1 || negative != -1 || tie_down != 1 || tie_up != 1 + 0x1p-51) {
    throw std::runtime_error("floating-point rounding must be to nearest (ties to even); this thread's mode differs");
  }
  const volatile double smallest_normal = std::numeric_limits<double>::min(), subnormal = smallest_subnormal;
  const volatile double flushed = smallest_normal * 0.5;  // 0 under FTZ
  const volatile double as_zero = subnormal * 0x1p+60;    // 0 under DAZ
  if (flushed != 0x1p-1023 || as_zero != 0x1p-1014) {
    throw std::runtime_error("subnormal numbers must be live; this thread flushes them to zero (FTZ or DAZ is set)");
  }
#if !defined(__MINGW32__) && !defined(__EMSCRIPTEN__)  // which two_product does not ask
  const volatile double factor = 1 + 0x1p-52, product = 1 + 0x1p-51;
  if (std::fma(factor, factor, -product) != 0x1p-104) {
    throw std::runtime_error("the C library's fma must round once; it rounds the product, too");
  }
#endif
}

}  // namespace hockeystick
