// SPDX-License-Identifier: Apache-2.0
// Scans of whole arrays, for every instruction set; as fft_kernel.hpp.
#pragma once

#include <cstddef>

#include "numeric/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// sum |x_j| in at least four partial sums: each term meets fewer than n/4 + 16 roundings. NaN stays NaN.
inline double absolute_sum(const double* x, std::size_t n) {
  constexpr std::size_t width = Vec::lanes;
  Vec a = Vec::broadcast(0), b = a, c = a, d = a;
  std::size_t j = 0;
  for (; j + 4 * width <= n; j += 4 * width) {
    a = a + magnitude(Vec::load(x + j)), b = b + magnitude(Vec::load(x + j + width));
    c = c + magnitude(Vec::load(x + j + 2 * width)), d = d + magnitude(Vec::load(x + j + 3 * width));
  }
  double lanes[width], sum = 0;
  ((a + b) + (c + d)).store(lanes);
  for (std::size_t i = 0; i < width; ++i) sum += lanes[i];
  for (; j < n; ++j) sum += magnitude(One{x[j]}).v;
  return sum;
}

/// The first i >= from, i - from a multiple of 8, such that not all of the eight re^2 + im^2 from i on are
/// at most `limit`, or that fewer than eight are left.
inline std::size_t first_above(const double* re, const double* im, std::size_t from, std::size_t count, double limit) {
  const Vec most = Vec::broadcast(limit);
  for (; from + 8 <= count; from += 8) {
    bool below = true;
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < 8; i += Vec::lanes) {
      const Vec x = Vec::load(re + from + i), y = Vec::load(im + from + i);
      below = below & all_at_most(multiply_add(x, x, y * y), most);
    }
    if (!below) break;
  }
  return from;
}

/// Multiplies re + i im by cosine + i sine elementwise, count a multiple of 8, and sums the products: sums[0] + i
/// sums[1]. Each term meets at most count/8 + 8 roundings on its way into a sum.
inline void rotate(double* re, double* im, const double* cosine, const double* sine, std::size_t count, double* sums) {
  constexpr std::size_t width = Vec::lanes, parts = 8 / width;
  Vec real[parts], imaginary[parts];
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) real[i] = imaginary[i] = Vec::broadcast(0);
  for (std::size_t j = 0; j < count; j += 8) {
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
      const std::size_t at = j + i * width;
      const Vec x = Vec::load(re + at), y = Vec::load(im + at);
      const Vec c = Vec::load(cosine + at), s = Vec::load(sine + at);
      const Vec turned = multiply_subtract(x, c, y * s), across = multiply_add(x, s, y * c);
      turned.store(re + at);
      across.store(im + at);
      real[i] = real[i] + turned;
      imaginary[i] = imaginary[i] + across;
    }
  }
  double lanes[2][8];
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
    real[i].store(lanes[0] + i * width);
    imaginary[i].store(lanes[1] + i * width);
  }
  for (std::size_t part = 0; part < 2; ++part) {
    sums[part] = 0;
    for (std::size_t i = 0; i < 8; ++i) sums[part] += lanes[part][i];
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
