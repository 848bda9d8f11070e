// SPDX-License-Identifier: Apache-2.0
// log x and log(1 + y) on vectors, for every instruction set; included as fft_kernel.hpp is.
//
// x = 2^k (1 + f), -0.293 < f < 0.415, and with s = f / (2 + f), z = s^2, R = 2 z/3 + 2 z^2/5 + ..,
//     log(1 + f) = 2 atanh s = f - (h - w),   h = f^2 / 2,   w = s (h + R).
// Errors, in units of u (*proved*; fused or not):
//     s 2, z 5 relative; R, at most 0.0202, 9 relative; what Taylor leaves out, 2 z^11 / 23, is below 2e-18.
//     h, at most 0.208 |f|: 1 relative. w: |s| (h + 9 R) + 4 |w| <= 0.29 |f|. h - w: its size, at most 0.19 |f|. In all
//     0.69 |f|, or 0.63 |f| for f < 0.
//   k = 0: f is exact, the last difference adds 1 relative: 1 + 0.69 |f / log(1 + f)| <= 1.9.
//   Else k times the leading 42 bits of log 2 is exact; f - (h - w - k low) adds 0.25, as its size is below 1/2, while
//     k low, at most 2^-34, adds nothing to speak of. |log x| >= 0.346: 1 + (0.69 * 0.415 + 0.25) / 0.346 <= 2.6.
//   log(1 + y): 1 + y = x + c exactly, |c| <= u x. For k = 0, f = (x - 1) + c = y is exact; else 2^-k c is added to f,
//     which rounds by 0.25 more: at most 3.3.
#pragma once

#include <cstddef>

#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// log(2^k (1 + f)) for such f.
template <class V>
HOCKEYSTICK_INLINE V logarithm_of_parts(V k, V f) {
  const V s = f / (V::broadcast(2.0) + f), z = s * s;
  V r = V::broadcast(2.0 / 21);
  r = multiply_add(r, z, V::broadcast(2.0 / 19));
  r = multiply_add(r, z, V::broadcast(2.0 / 17));
  r = multiply_add(r, z, V::broadcast(2.0 / 15));
  r = multiply_add(r, z, V::broadcast(2.0 / 13));
  r = multiply_add(r, z, V::broadcast(2.0 / 11));
  r = multiply_add(r, z, V::broadcast(2.0 / 9));
  r = multiply_add(r, z, V::broadcast(2.0 / 7));
  r = multiply_add(r, z, V::broadcast(2.0 / 5));
  r = multiply_add(r, z, V::broadcast(2.0 / 3)) * z;
  const V h = V::broadcast(0.5) * (f * f), w = s * (h + r);
  const V high = V::broadcast(0x1.62e42fefa38p-1), low = V::broadcast(0x1.ef35793c7673p-45);
  return multiply_add(k, high, f - (h - multiply_add(k, low, w)));
}

/// log x for normal numbers x > 0. Relative error at most 3 u.
template <class V>
HOCKEYSTICK_INLINE V logarithm(V x) {
  V k;
  const V m = split(x, k);
  return logarithm_of_parts(k, m - V::broadcast(1.0));
}

/// log(1 + y) for finite y > -1. Relative error at most 4 u.
template <class V>
HOCKEYSTICK_INLINE V logarithm_of_1_plus(V y) {
  const V one = V::broadcast(1.0), x = one + y, seen = x - one;
  const V c = (one - (x - seen)) + (y - seen);  // two_sum
  V k;
  const V m = split(x, k);
  const V inverse = power_of_two(V::broadcast(0x1.8p52) - k);  // 2^-k, or 0 for k = 1023, where c is next to nothing
  return logarithm_of_parts(k, (m - one) + c * inverse);
}

/// log x of each of `count` values, a multiple of 8, in place.
inline void logarithms(double* x, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) logarithm(Vec::load(x + j)).store(x + j);
}

/// log(1 + y), likewise.
inline void logarithms_of_1_plus(double* y, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) logarithm_of_1_plus(Vec::load(y + j)).store(y + j);
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
