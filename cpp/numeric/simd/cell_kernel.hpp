// SPDX-License-Identifier: Apache-2.0
// Narrow cells of Gaussian pairs by vectors, for every instruction set; included as fft_kernel.hpp is.
//
// On a cell [a, a + w] let y = x - a and G(y) = e^(rate y) - 1. One exponential and one G per node suffice, as
//     phi(x) = phi(a) e^(-a y - y^2/2),     phi(x - rate) = phi(a - rate) (phi(x) / phi(a)) (1 + G(y)),
//     1 - e^(-rate y) = G / (1 + G),        e^(rate (w - y)) - 1 = G at the mirrored node.
// Rounding, in u (*proved*), where w (abs(t) + 4) <= 0.7 for t = a and, if used, t = a - rate; then rate y <= 1.4:
//     phi(t): t = z + r, z a multiple of 2^-20, so that z^2 is exact; e^(-z^2/2) 2, e^(-r (z + r/2)) 2, being within
//       2^-14 of 1 (Taylor leaves out 2^-63), constant and products 3: below 8.
//     y 2.5, the exponent (2.5 + 1 + 1 + 1) 0.7 < 4, e^z 2, its product 1: the first density 15. G 4, and 3.5 for
//       its argument times z e^z / (e^z - 1) <= 1.9: 10.7. 1 + G: 10.7 (1 - e^-z) + 1 <= 9.1; with two more products
//       the second density 8 + 4 + 2 + 9.1 + 2 < 26. G / (1 + G): 10.7 + 1 + 1.
//     So P has 26, the weights 2, the rule's weights and 6 terms 8, the width 2: below 40, as gaussian_cells states.
//       The others have 30 for k0 and 13 for G in addition: below 100.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/exponential_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// e^(-(high + low)^2 / 2) / sqrt(2 pi) for abs(high) < 37.5, low at most high's rounding: within 8 u.
template <class V>
HOCKEYSTICK_INLINE V density_at(V high, V low) {
  const V magic = V::broadcast(0x1.8p32), half = V::broadcast(0.5), zero = V::broadcast(0.0);
  const V z = (high + magic) - magic, r = (high - z) + low;
  const V rest = zero - r * multiply_add(half, r, z);
  const V tail = multiply_add(rest, multiply_add(rest, V::broadcast(1.0 / 6), half), V::broadcast(1.0));
  const V base = V::broadcast(0.39894228040143267794) * exponential(zero - half * (z * z));
  return multiply_add(base, rest * tail, base);
}

/// a - b as a sum of two doubles.
template <class V>
struct Difference {
  V high, low;
};
template <class V>
HOCKEYSTICK_INLINE Difference<V> less(V a, V b) {
  const V high = a - b, seen = high - a;
  return {high, (a - (high - seen)) - (b + seen)};
}

template <bool zero, bool one>
inline void cell_sums(const CellGroup& g, double* p, double* above, double* below) {
  const Vec rate = Vec::broadcast(g.rate), half = Vec::broadcast(0.5), unit = Vec::broadcast(1.0);
  const Vec nothing = Vec::broadcast(0.0), k1 = Vec::broadcast(g.k1);
  for (std::size_t j = 0; j < 8; j += Vec::lanes) {
    const Vec a = Vec::load(g.from + j), width = Vec::load(g.to + j) - a;
    const auto [shifted, low] = less<Vec>(a, rate);
    const Vec base0 = zero ? density_at(a, nothing) : nothing, base1 = one ? density_at(shifted, low) : nothing;
    const Vec p0 = Vec::broadcast(g.p[0]) * base0, p1 = Vec::broadcast(g.p[1]) * base1;
    const Vec from0 = Vec::load(g.k0_from + j) * base0, to0 = Vec::load(g.k0_to + j) * base0, both1 = k1 * base1;
    const Vec slope = zero ? a : shifted;
    Vec growth[6], in_p = nothing, in_above = nothing, in_below = nothing;
    for (std::size_t k = 0; k < g.count; ++k) {
      growth[k] = exponential_less_1(rate * (width * Vec::broadcast(g.nodes[k])));
    }
    for (std::size_t k = 0; k < g.count; ++k) {
      const Vec y = width * Vec::broadcast(g.nodes[k]), grown = unit + growth[k];
      const Vec density = Vec::broadcast(g.weights[k]) * exponential(nothing - y * multiply_add(half, y, slope));
      const Vec other = zero && one ? density * grown : density;
      const Vec in_from = zero ? multiply_add(from0, density, both1 * other) : both1 * other;
      const Vec in_to = zero ? multiply_add(to0, density, both1 * other) : both1 * other;
      in_p = zero ? multiply_add(p0, density, in_p) : in_p;
      in_p = one ? multiply_add(p1, other, in_p) : in_p;
      in_above = in_above + in_from * (growth[k] / grown);
      in_below = multiply_add(in_to, growth[g.count - 1 - k], in_below);
    }
    (in_p * width).store(p + j), (in_above * width).store(above + j), (in_below * width).store(below + j);
  }
}

inline void cells(const CellGroup& group, double* p, double* above, double* below) {
  if (group.used[0] && group.used[1]) {
    cell_sums<true, true>(group, p, above, below);
  } else {
    group.used[0] ? cell_sums<true, false>(group, p, above, below) : cell_sums<false, true>(group, p, above, below);
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
