// SPDX-License-Identifier: Apache-2.0
// Normal tails on vectors, for every instruction set; included as fft_kernel.hpp is.
//
// For x > 0, P(Z > x) = (x / pi) e^(-x^2/2) times the integral of f(s) = e^(-s^2/2) / (x^2 + s^2) over s > 0. The
// midpoint rule of step h = 11/16, nodes s_k = (k + 1/2) h, is corrected for the pole at i x (Hunter & Regan 1972):
//     P(Z > x) = (x / pi) e^(-x^2/2) h sum_(k >= 0) f(s_k) + 1 / (1 + e^(2 pi x / h)) + E,    all terms >= 0.
// Truncation (*proved*). On the line Im s = y > x the modulus of f is at most e^((y^2 - t^2)/2) / (y^2 - x^2), so that
// abs(E) <= (x / pi) e^(-x^2/2) sqrt(2 pi) e^(y^2/2) / ((y^2 - x^2) (e^(2 pi y / h) - 1)), and P(Z > x) is at least
// x / (x^2 + 1) phi(x). Relatively, y = 10 gives 2 (x^2 + 1) / (100 - x^2) e^(50 - 91.3) < 1e-17 for x <= 9. For x > 9
// the pole is left out, and y = 8 below it gives 2 (x^2 + 1) / (x^2 - 64) e^(32 - 73.1) < 2e-17. Of the sum, k >= 13
// are left out: s_k >= 9.28, below 1e-18.
// Rounding, in u (*proved*): a term: x^2 + s^2 2, its weight 1, quotient 1; sum 13; x and product 2; e^(-x^2/2) 6, as
// phi in cell_kernel.hpp, and its product 1: 26. 1 / (1 + e^z): e^z 2 and 1.5 z for its argument, sum and quotient 2;
// its share of the whole, at most 1, is below 4 e^(-z) e^(x^2/2) (1 + x), z = 9.1 x, so that 1.5 z counts 3 at most.
// In all below 30.
#pragma once

#include <cstddef>

#include "numeric/simd/cell_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

struct MidpointNode {
  double square, weight;  // s_k^2, exactly, and h e^(-s_k^2/2) / pi (mpmath)
};
constexpr MidpointNode midpoint_nodes[] = {
    {0x1.e400000000000p-4, 0x1.a677cc80fe8d0p-3},  {0x1.1040000000000p+0, 0x1.0757ceed950acp-3},
    {0x1.7a20000000000p+1, 0x1.994bd749de369p-5},  {0x1.7290000000000p+2, 0x1.8c890397cb50dp-7},
    {0x1.3248000000000p+3, 0x1.def161e44593dp-10}, {0x1.c988000000000p+3, 0x1.68970c8494df6p-13},
    {0x1.3f84000000000p+4, 0x1.5274a1c5925a9p-17}, {0x1.a964000000000p+4, 0x1.8c0c403bf662bp-22},
    {0x1.1132000000000p+5, 0x1.20e1fcf9ca954p-27}, {0x1.5542000000000p+5, 0x1.06b2328086219p-33},
    {0x1.a0e2000000000p+5, 0x1.29d01c6d4bda9p-40}, {0x1.f412000000000p+5, 0x1.a4e9857f1c8adp-48},
    {0x1.2769000000000p+6, 0x1.72d2dc96aa56fp-56}};

/// P(Z > x) for 0 <= x <= 37. Relative error at most 30 u.
template <class V>
HOCKEYSTICK_INLINE V normal_tail_of(V x) {
  const V square = x * x, one = V::broadcast(1.0);
  V sum = V::broadcast(0.0);
  for (const MidpointNode& node : midpoint_nodes) {
    sum = sum + V::broadcast(node.weight) / (square + V::broadcast(node.square));
  }
  const V root = V::broadcast(2.5066282746310005024);                                // sqrt(2 pi)
  const V pole = one / (one + exponential(V::broadcast(0x1.247426bd47de3p+3) * x));  // 2 pi / h
  const V kept = pole - where_above(x, V::broadcast(9.0), pole);
  return multiply_add(sum * x, root * density_at(x, V::broadcast(0.0)), kept);
}

/// P(Z > x) of each of `count` values, a multiple of 8, in place.
inline void normal_tails(double* x, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) normal_tail_of(Vec::load(x + j)).store(x + j);
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
