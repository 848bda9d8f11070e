// SPDX-License-Identifier: Apache-2.0
// Products of powers of sequences under cyclic convolution, with a bound of the rounding error.
//
// In the frequency domain a product of powers is, at each k, prod_i X_i,k^(p_i). For each k we keep the
// computed value Y and a bound E >= |Y - exact|. All of this is proved, u = 2^-53, with B and underflow()
// from fft.hpp; "exact" is over the given doubles.
//
// Transform. |z - X| <= e0 = B ||x||_1 + underflow for the computed z.
//
// Power. r = |z|, t = p e0 / r.
//   Negligible: if r + e0 <= c := ||x||_1 2^(-110/p), then |X^p| <= c^p; 0 is stored with that bound.
//     For nonnegative x the error at k = 0 alone is 2^50 times larger.
//   Uncertain: if t > 1/4, 0 is stored with the bound (r + e0)^p.
//   Else z^p by repeated squaring, at most p - 1 products in its expansion, each off by a factor
//     1 + sqrt(5) u (Brent, Percival & Zimmermann 2007; 2.25 u covers underflow in a component, as the
//     moduli stay above 2^-900), so with rho = (1 + 2.25 u)^(p-1) - 1 <= s + s^2, s = 2.25 u p < t <= 1/4,
//         |computed - z^p| <= rho r^p,    r^p <= |computed| / (1 - rho),
//         |z^p - X^p| <= (r + e0)^p - r^p <= r^p expm1(p e0 / r) <= r^p (t + t^2).
//     If |computed| < 2^-900, underflow may have struck: treated as uncertain. (Powers of r < 1 fall, so
//     no earlier power was smaller; powers of r >= 1 never underflow.)
//
// Product. |Y Z computed - exact| <= |Z| E + (|Y| + E) e + 2.25 u |Y| |Z| + 2^-1072.
//
// Inverse. The result y has, for every j,
//     |y_j - exact_j| <= (1/N) (sum_k E_k + B sum_k |Y_k|) + underflow,   k over all N frequencies.
//
// Every upper bound is evaluated in doubles with fewer than 16 roundings of nonnegative terms and then
// multiplied by 1 + 2^-48 = 1 + 32 u; moduli get 2^-500 for squares that underflow. Overflow anywhere
// makes the bound infinite. For a probability vector to the power p the bound is about (p + 1) B max_j y_j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/fft.hpp"

namespace hockeystick {

/// Product of integer powers of cyclic sequences of length fft.size(), by the transform, with a proved bound.
class CyclicProduct {
 public:
  /// Keeps a reference to `fft`.
  explicit CyclicProduct(const RealFft& fft);

  /// Multiplies the product by sequence^(* power), 1 <= power <= 2^62. Overwrites `sequence` (workspace).
  /// Cost: one forward transform, and about 60 log2(power) flops for each frequency not negligible.
  void multiply(std::span<double> sequence, std::int64_t power);

  /// Writes the product; returns E with |result[j] - exact[j]| <= E for every j. E is infinite if
  /// anything overflowed or was not finite; the result is then zero. An empty product is the unit impulse.
  double finish(std::span<double> result) const;

  /// Memory that an object for this size takes, the plan not included.
  static std::size_t bytes(std::size_t size);

 private:
  const RealFft* fft;
  std::vector<double> spectrum;  // in the order of RealFft::forward
  std::vector<double> error;     // E for X_0, X_(N/2), then each block's coefficients
  bool empty = true;
  bool overflowed = false;
};

/// x <- x^(* power) in place, for a single factor: as CyclicProduct, same bound, without its memory.
double cyclic_power(const RealFft& fft, std::span<double> x, std::int64_t power);

}  // namespace hockeystick
