// SPDX-License-Identifier: Apache-2.0
// Error-free transformations and compensated summation.
#pragma once

#include <cmath>
#include <cstddef>

#include "numeric/rounding.hpp"

namespace hockeystick {

/// The rounded result and its rounding error: value + error is exact.
struct TwoParts {
  double value;
  double error;
};

/// a + b = value + error exactly, for all finite a, b without overflow (Knuth; also under underflow).
inline TwoParts two_sum(double a, double b) {
  const double s = a + b;
  const double b_seen = s - a;
  return {s, (a - (s - b_seen)) + (b - b_seen)};
}

/// a * b = value + error exactly, if |a b| >= 2^-968 (so that the error is no subnormal) and no overflow.
inline TwoParts two_product(double a, double b) {
  const double p = a * b;
  return {p, std::fma(a, b, -p)};
}

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
