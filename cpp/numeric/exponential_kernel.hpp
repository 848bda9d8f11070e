// SPDX-License-Identifier: Apache-2.0
// e^x on vectors, for every instruction set; as fft_kernel.hpp.
#pragma once

#include <cstddef>

#include "numeric/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// e^x for x <= 709; x below -708 counts as -708. Relative error at most 4 u, *proved*, fused or not: with k = x / log
/// 2 rounded and log 2 = high + low, high of 32 bits, k high is exact and so is x - k high (or, for k = 0, nothing is
/// taken); r = x - k high - k low is off by u (|k low| + |r|) < 0.36 u. Taylor to degree 13 leaves 0.3466^14 / 14! <
/// 5e-18. Of Horner's rule the last sum adds u, and the product with r before it and what that carries 2.5 u |r| e^|r|
/// < 1.3 u. Scaling by 2^k is exact.
template <class V>
HOCKEYSTICK_INLINE V exponential(V x) {
  constexpr double magic = 0x1.8p52, inverse = 0x1.71547652b82fep+0, high = 0x1.62e42feep-1,
                   low = 0x1.a39ef35793c76p-33;
  constexpr double taylor[] = {
      1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
      1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
  x = larger(x, V::broadcast(-708.0));
  const V shifted = multiply_add(x, V::broadcast(inverse), V::broadcast(magic));
  const V k = shifted - V::broadcast(magic);
  const V r = (x - k * V::broadcast(high)) - k * V::broadcast(low);
  V sum = V::broadcast(taylor[0]);
  HOCKEYSTICK_UNROLL for (std::size_t i = 1; i < 14; ++i) sum = multiply_add(sum, r, V::broadcast(taylor[i]));
  return sum * power_of_two(shifted);
}

/// e^x of each of `count` values, a multiple of 8, in place.
inline void exponentials(double* x, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) exponential(Vec::load(x + j)).store(x + j);
}

/// (re + i im)^n of each of `count` numbers, a multiple of 8, in place, n >= 1, by repeated squaring: relative error
/// below 4 n u, *proved*: a square (x - y)(x + y), 2 x y is off by 3 u at most, a product by sqrt(5) u (Brent, Percival
/// & Zimmermann 2007), and a factor's error counts as often as the factor.
inline void powers(double* re, double* im, std::size_t count, std::uint64_t n) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    Vec x = Vec::load(re + j), y = Vec::load(im + j), real = Vec::broadcast(1), imaginary = Vec::broadcast(0);
    for (std::uint64_t bits = n;; bits >>= 1) {
      if (bits & 1) {
        const Vec next = multiply_subtract(real, x, imaginary * y);
        imaginary = multiply_add(real, y, imaginary * x);
        real = next;
      }
      if (bits <= 1) break;
      const Vec next = (x - y) * (x + y), product = x * y;
      y = product + product;
      x = next;
    }
    real.store(re + j);
    imaginary.store(im + j);
  }
}

/// sum m_j, sum m_j l_j and sum m_j l_j^2 with m_j = e^(base_j + tilt l_j - unit), count a multiple of 8; plain sums.
inline void tilted_sums(const double* base, const double* loss, double tilt, double unit, std::size_t count,
                        double* sums) {
  const Vec scale = Vec::broadcast(tilt), shift = Vec::broadcast(unit);
  Vec total = Vec::broadcast(0), first = total, second = total;
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    const Vec at = Vec::load(loss + j);
    const Vec mass = exponential(multiply_add(scale, at, Vec::load(base + j)) - shift);
    const Vec moment = mass * at;
    total = total + mass;
    first = first + moment;
    second = multiply_add(moment, at, second);
  }
  double lanes[3][Vec::lanes];
  total.store(lanes[0]), first.store(lanes[1]), second.store(lanes[2]);
  for (std::size_t part = 0; part < 3; ++part) {
    sums[part] = 0;
    for (std::size_t i = 0; i < Vec::lanes; ++i) sums[part] += lanes[part][i];
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
