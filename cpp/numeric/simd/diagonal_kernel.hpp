// SPDX-License-Identifier: Apache-2.0
// Sums of products along diagonals, for every instruction set; included as fft_kernel.hpp is. Each of the
// `diagonal_block` outputs gains the sum over diagonals, in their order: a term meets at most three roundings and one
// for every diagonal after it.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

constexpr std::size_t diagonal_parts = Vec::lanes <= 4 ? 4 : diagonal_block / Vec::lanes;

/// sum[n] += first x y and sum_moment[n] += second x' y + third x y', x' of moment and y' of factor_moment.
inline void merge_diagonals(const Diagonal* diagonals, std::size_t count, std::ptrdiff_t start, const double* mass,
                            const double* moment, const double* factor, const double* factor_moment, double* sum,
                            double* sum_moment) {
  constexpr std::size_t parts = diagonal_parts, width = Vec::lanes;
  for (std::size_t n = 0; n < diagonal_block; n += parts * width) {
    Vec total[parts], along[parts];
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) total[i] = along[i] = Vec::broadcast(0);
    for (std::size_t k = 0; k < count; ++k) {
      const std::ptrdiff_t from = start + static_cast<std::ptrdiff_t>(n);
      const std::ptrdiff_t at = diagonals[k].at + from, factor_at = diagonals[k].factor_at + from;
      const Vec a = Vec::broadcast(diagonals[k].first), b = Vec::broadcast(diagonals[k].second);
      const Vec c = Vec::broadcast(diagonals[k].third);
      HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
        const Vec x = Vec::load(mass + at + i * width), y = Vec::load(factor + factor_at + i * width);
        total[i] = multiply_add(a, x * y, total[i]);
        along[i] = multiply_add(b, Vec::load(moment + at + i * width) * y, along[i]);
        along[i] = multiply_add(c, x * Vec::load(factor_moment + factor_at + i * width), along[i]);
      }
    }
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
      (Vec::load(sum + n + i * width) + total[i]).store(sum + n + i * width);
      (Vec::load(sum_moment + n + i * width) + along[i]).store(sum_moment + n + i * width);
    }
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
