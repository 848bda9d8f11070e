// SPDX-License-Identifier: Apache-2.0
// log(1 - q + q e^t) and its slope on vectors, for every instruction set; included as fft_kernel.hpp is.
#pragma once

#include <cstddef>

#include "numeric/simd/exponential_kernel.hpp"
#include "numeric/simd/logarithm_kernel.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// log(1 + y), y = q (e^t - 1), in place of each of `count` values t, a multiple of 8, and q e^t / (1 + y) in `weight`,
/// for 1e-200 <= q <= 1/2. e^t - 1 within 4 u and a product make y, log(1 + y) adds 4 u; t beyond 600 is added to the
/// logarithm, which is right to e^-100. The weight is within 12 u or 1e-307, *proved*, but below -708 t counts as that:
/// e^t 3 u, y 5 u, at most 1/2 where negative, of 1 + y, four roundings.
inline void sampled_logs(double q, double* t, double* weight, std::size_t count) {
  const Vec rate = Vec::broadcast(q), far = Vec::broadcast(600), one = Vec::broadcast(1), none = Vec::broadcast(0);
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    const Vec at = Vec::load(t + j);
    const ExponentialParts<Vec> e = exponential_parts(smaller(at, far));
    const Vec y = rate * multiply_add(e.scale, e.rest, e.scale - one);
    ((rate * (e.scale + e.scale * e.rest)) / (one + y)).store(weight + j);
    (logarithm_of_1_plus(y) + larger(at - far, none)).store(t + j);
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
