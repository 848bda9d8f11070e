// SPDX-License-Identifier: Apache-2.0
// Scans of whole arrays, for every instruction set; included as fft_kernel.hpp is.
#pragma once

#include <cstddef>

#include "numeric/simd/vec.hpp"

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

/// Whether each of `count` values, a multiple of 8, is in [low, high]; none that is NaN is.
inline bool lie_within(const double* x, std::size_t count, double low, double high) {
  const Vec least = Vec::broadcast(low), most = Vec::broadcast(high);
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    const Vec at = Vec::load(x + j);
    if (!all_at_most(least, at) || !all_at_most(at, most)) return false;
  }
  return true;
}

/// sums[0] + i sums[1] = sum w_k e^(i k a) and sums[2] = sum k Im(w_k e^(i k a)) over k < count, a multiple of 8, from
/// cosine and sine of a. The turn of w_k is off by at most k (e + 3 u), e the error of cosine + i sine; every term
/// meets at most `sum_roundings(count)` of them: parts of `summed_together` are summed apart.
inline void turned_sums(const double* re, const double* im, std::size_t count, double cosine, double sine,
                        double* sums) {
  constexpr std::size_t width = Vec::lanes;
  double real[width], imaginary[width], index[width], x = 1, y = 0;
  for (std::size_t i = 0; i < width; ++i) {
    real[i] = x, imaginary[i] = y, index[i] = static_cast<double>(i);
    const double next = x * cosine - y * sine;
    y = x * sine + y * cosine;
    x = next;
  }
  const Vec c = Vec::broadcast(x), s = Vec::broadcast(y), step = Vec::broadcast(static_cast<double>(width));
  Vec a = Vec::load(real), b = Vec::load(imaginary), k = Vec::load(index);
  const Vec zero = Vec::broadcast(0);
  Vec first = zero, second = zero, along = zero;
  for (std::size_t from = 0; from < count; from += summed_together) {
    Vec part_first = zero, part_second = zero, part_along = zero;
    const std::size_t end = from + summed_together < count ? from + summed_together : count;
    for (std::size_t j = from; j < end; j += width) {
      const Vec u = Vec::load(re + j), v = Vec::load(im + j);
      const Vec turned = multiply_subtract(u, a, v * b), across = multiply_add(u, b, v * a);
      part_first = part_first + turned;
      part_second = part_second + across;
      part_along = multiply_add(k, across, part_along);
      const Vec next = multiply_subtract(a, c, b * s);
      b = multiply_add(a, s, b * c);
      a = next;
      k = k + step;
    }
    first = first + part_first;
    second = second + part_second;
    along = along + part_along;
  }
  double lanes[3][width];
  first.store(lanes[0]), second.store(lanes[1]), along.store(lanes[2]);
  for (std::size_t part = 0; part < 3; ++part) {
    sums[part] = 0;
    for (std::size_t i = 0; i < width; ++i) sums[part] += lanes[part][i];
  }
}

/// sums[t] = sum_j x_j weights[t][j] for four rows of weights, j < n, n a multiple of 8, from the last j to the first:
/// the term at j meets at most j + 6 roundings.
inline void weigh(const double* x, const double (*weights)[64], std::size_t n, double* sums) {
  constexpr std::size_t width = Vec::lanes;
  Vec sum[4];
  HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < 4; ++t) sum[t] = Vec::broadcast(0);
  for (std::size_t j = n; j > 0; j -= width) {
    const Vec at = Vec::load(x + j - width);
    HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < 4; ++t) {
      sum[t] = multiply_add(at, Vec::load(weights[t] + j - width), sum[t]);
    }
  }
  double lanes[width];
  for (std::size_t t = 0; t < 4; ++t) {
    sum[t].store(lanes);
    sums[t] = 0;
    for (std::size_t i = width; i-- > 0;) sums[t] += lanes[i];
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
