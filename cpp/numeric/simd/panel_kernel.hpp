// SPDX-License-Identifier: Apache-2.0
// One Gauss-Legendre panel of the integrals for cells of Gaussian pairs, for every instruction set; included as
// fft_kernel.hpp is.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/exponential_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// sums = integrals of p, above and below (PanelRequest). The rounding of its exponent moves a density by 9 u, the
/// exponential by 2 u; e^z - 1 is off by 4 u plus its argument's rounding; a term then meets at most 4 products and 10
/// sums.
template <bool two>
inline void panel_sums(const PanelRequest& r, double* sums) {
  const Vec width = Vec::broadcast(r.width), half = Vec::broadcast(0.5), zero = Vec::broadcast(0.0);
  const Vec rate = Vec::broadcast(r.rate), offset = Vec::broadcast(r.offset), rest = Vec::broadcast(r.rest);
  Vec p = zero, above = zero, below = zero;
  for (std::size_t k = 0; k < r.count; k += Vec::lanes) {
    const Vec y = width * Vec::load(r.nodes + k), weight = Vec::load(r.weights + k);
    const auto density = [&](const PanelDensity& d) {
      return weight * exponential(zero - y * multiply_add(half, y, Vec::broadcast(d.slope)));
    };
    const Vec g0 = density(r.density[0]);
    Vec in_p = Vec::broadcast(r.density[0].p) * g0, in_above = Vec::broadcast(r.density[0].above) * g0;
    Vec in_below = Vec::broadcast(r.density[0].below) * g0;
    if constexpr (two) {
      const Vec g1 = density(r.density[1]);
      in_p = multiply_add(Vec::broadcast(r.density[1].p), g1, in_p);
      in_above = multiply_add(Vec::broadcast(r.density[1].above), g1, in_above);
      in_below = multiply_add(Vec::broadcast(r.density[1].below), g1, in_below);
    }
    p = p + in_p;
    above = above - in_above * exponential_less_1(zero - rate * (offset + y));
    below = below + in_below * exponential_less_1(rate * multiply_add(width, Vec::load(r.mirrored + k), rest));
  }
  const Vec all[3] = {p * width, above * width, below * width};
  for (std::size_t part = 0; part < 3; ++part) {
    double lanes[Vec::lanes];
    all[part].store(lanes);
    sums[part] = 0;
    for (std::size_t i = 0; i < Vec::lanes; ++i) sums[part] += lanes[i];
  }
}

inline void panel(const PanelRequest& request, double* sums) {
  request.density[1].used ? panel_sums<true>(request, sums) : panel_sums<false>(request, sums);
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
