// SPDX-License-Identifier: Apache-2.0
// Accurate roots of unity, independent of the platform's sin and cos.
#pragma once

#include <cstddef>
#include <vector>

namespace hockeystick {

/// Roots w^k = exp(-2 pi i k / order), 1 <= order <= 2^40.
///
/// Bound (proved): |computed - w^k| <= 0.78 u, u = 2^-53. By symmetry the angle is reduced, in integers,
/// to (pi/4) r / T with 0 <= r <= T, and r = h F + f with F <= T/64 or F = 1. The coarse root C = cos +
/// i sin of (pi/4) h F / T is kept as hi + lo (off by less than 2^-80), the fine one as 1 + d with d
/// rounded to double, |d| <= pi/256 < 0.0123. Then hi + (lo + hi d) misses C (1 + d) by, in modulus,
///     rounding of d: u |d|;   hi d: sqrt(5) u |d| (Brent, Percival & Zimmermann 2007);
///     sum with lo: u (|d| + u);   lo d, dropped: u |d| / sqrt(2);   in all < 5 u |d| < 0.062 u,
/// and the last addition rounds two components of size at most 1: u / sqrt(2) < 0.7072 u more.
class RootsOfUnity {
 public:
  struct Root {
    double re, im;
  };
  static constexpr double error = 0.78;  // times u

  explicit RootsOfUnity(std::size_t order);
  Root operator()(std::size_t k) const;

 private:
  struct Coarse {
    double cos_hi, cos_lo, sin_hi, sin_lo;
  };
  struct Fine {
    double cos_minus_one, sin;
  };
  std::size_t scale;   // 8 where order is no multiple of 8, so that octants have integer length
  std::size_t octant;  // T
  unsigned shift;      // F = 2^shift
  std::vector<Coarse> coarse;
  std::vector<Fine> fine;
};

}  // namespace hockeystick
