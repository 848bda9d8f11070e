// SPDX-License-Identifier: Apache-2.0
// Two scans that CyclicProduct needs over whole arrays, for every instruction set; as fft_kernel.hpp.
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

}  // namespace hockeystick::HOCKEYSTICK_ISA
