// SPDX-License-Identifier: Apache-2.0
// Masses spread on a grid by a B-spline, for every instruction set; included as fft_kernel.hpp is.
#pragma once

#include <cstddef>
#include <cstdint>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// grid[first_j + i] += mass_j (n - 1)! B_n(n - 1 - i + offset_j), 0 <= i < n = spline_order: B_n is the cardinal
/// B-spline on [0, n], offsets lie in [0, 1], count is a multiple of 8. By the recurrence x B_(n-1)(x) + (n - x)
/// B_(n-1)(x - 1), whose terms are all positive, an addend is off by 3 u for each of n - 1 steps and by u.
inline void spread(const double* mass, const double* offset, const std::uint32_t* first, std::size_t count,
                   double* grid) {
  constexpr std::size_t order = spline_order, parts = 8 / Vec::lanes;
  double weights[order][8];
  for (std::size_t j = 0; j < count; j += 8) {
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t at = part * Vec::lanes;
      const Vec t = Vec::load(offset + j + at);
      Vec value[order];
      value[0] = Vec::load(mass + j + at);
      for (std::size_t n = 2; n <= order; ++n) {
        const auto last = static_cast<double>(n - 1);
        value[n - 1] = (Vec::broadcast(1.0) - t) * value[n - 2];
        for (std::size_t i = n - 2; i > 0; --i) {
          const auto below = static_cast<double>(i);
          const Vec falling = Vec::broadcast(last + 1 - below) - t;
          value[i] = multiply_add(Vec::broadcast(below) + t, value[i], falling * value[i - 1]);
        }
        value[0] = t * value[0];
      }
      for (std::size_t i = 0; i < order; ++i) value[order - 1 - i].store(weights[i] + at);
    }
    for (std::size_t lane = 0; lane < 8; ++lane) {
      double* const to = grid + first[j + lane];
      for (std::size_t i = 0; i < order; ++i) to[i] += weights[i][lane];
    }
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
