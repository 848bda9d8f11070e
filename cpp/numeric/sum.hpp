// SPDX-License-Identifier: Apache-2.0
// Error-free transformations and compensated summation.
#pragma once

#include <cmath>
#include <cstddef>
#include <type_traits>

#include "numeric/rounding.hpp"

namespace hockeystick {

/// The rounded result and its rounding error: value + error is exact.
struct TwoParts {
  double value;
  double error;
};

/// a + b = value + error exactly, for all finite a, b without overflow (Knuth; also under underflow).
constexpr TwoParts two_sum(double a, double b) {
  const double s = a + b;
  const double b_seen = s - a;
  return {s, (a - (s - b_seen)) + (b - b_seen)};
}

/// x as a sum of two doubles of at most 26 bits each, |x| < 2^995 (Veltkamp).
constexpr TwoParts halves(double x) {
  const double scaled = x * (0x1p27 + 1), high = scaled - (scaled - x);
  return {high, x - high};
}

/// As two_product, by multiplications and sums alone (Dekker).
constexpr TwoParts two_product_of_halves(double a, double b) {
  const double p = a * b;
  const TwoParts x = halves(a), y = halves(b);
  return {p, ((x.value * y.value - p) + x.value * y.error + x.error * y.value) + x.error * y.error};
}

/// a * b = value + error exactly, if 2^-968 <= |a b| (so that the error is no subnormal) and |a|, |b|, |a b| < 2^995.
constexpr TwoParts two_product(double a, double b) {
#if defined(__MINGW32__) || defined(__EMSCRIPTEN__)
  return two_product_of_halves(a, b);  // one's std::fma rounds twice, the other's is no instruction, and slower
#else
  if (std::is_constant_evaluated()) return two_product_of_halves(a, b);
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
#endif
}

/// a - q b for q = fl(a / b), which is a double, as two_product is exact.
constexpr double exact_remainder(double a, double q, double b) {
  const auto [product, error] = two_product(q, b);
  return (a - product) - error;
}

/// a less the multiple of b next to it, in the same way; abs(a / b) < 2^52.
inline double nearest_remainder(double a, double b) { return exact_remainder(a, std::nearbyint(a / b), b); }

/// Sum of doubles as if in twice the working precision.
///
/// Bound (proved; Ogita, Rump & Oishi 2005, Prop. 4.5, constants relaxed). After n terms, sum x_i =
/// s + sum e_i exactly, s the running sum and e_i the rounding errors that two_sum returns. Standard
/// analysis of recursive summation gives sum |e_i| <= gamma_n A, A = sum |x_i|, and the accumulated c
/// has |c - sum e_i| <= gamma_n sum |e_i| <= gamma_n^2 A. One rounding joins s and c:
///     |value - sum x_i| <= u |value| + gamma_n^2 A        (sums never underflow inexactly).
/// For nonnegative terms A = sum x_i: the relative error is below u + 2 gamma_n^2, which is 1.03 u up to
/// n = 1e7 or so.
class CompensatedSum {
 public:
  void add(double x) {
    const TwoParts parts = two_sum(sum, x);
    sum = parts.value;
    correction += parts.error;
    absolute += std::fabs(x);
    ++count;
  }

  double value() const { return sum + correction; }

  /// Upper bound of |value() - exact sum of the terms added|; NaN or inf if a term or the sum was.
  double error_bound() const {
    if (count < 2) return 0;
    const double g = gamma(static_cast<double>(count));
    const double terms = up(absolute * up(1 + g));  // >= A: recursive summation of positive terms
    return up(up(unit_roundoff * std::fabs(value())) + up(up(g * g) * terms));
  }

 private:
  double sum = 0;
  double correction = 0;
  double absolute = 0;
  std::size_t count = 0;
};

}  // namespace hockeystick
