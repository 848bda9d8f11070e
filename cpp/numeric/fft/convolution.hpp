// SPDX-License-Identifier: Apache-2.0
// Products of powers of sequences under cyclic convolution, with a bound of the rounding error.
//
// In the frequency domain a product of powers is, at each k, prod_i X_i,k^(p_i). For each k we store the computed value
// Y and a bound E >= |Y - exact|. All of this is proved, u = 2^-53, with B and underflow() from real_fft.hpp; "exact"
// is over the given doubles.
//
// Transform. |z - X| <= e0 = B ||x||_1 + underflow for the computed z.
//
// Power, p >= 2. With r = |z|, B ||x||_1 < e0 as above, and
//         c = max(||x||_1 2^(-110/p), 64 (p+1) e0, 2^(-800/p)),
//     Negligible: r + e0 <= c. 0 is stored with the bound min(c, ||x||_1)^p. For nonnegative x the error at k = 0
//     alone, p B ||x||_1^p, is 2^50 times larger if the first term decides and, as the second does for p = 2,
//     2^33 times if B < 50 u. (Where the third does, ||x||_1^p < 2^-690.)
//     Else r >= (c - e0)(1 - 40 u), so that t = p e0 / r <= 1/64. As r <= ||x||_1 + e0 and B >= 3 u, p is below 2^46,
//     so that r^p > 2^-803 and no power on the way is smaller: no underflow matters. None overflows, as
//     ||x||_1^p <= 2^1000 is checked. z^p by repeated squaring, at most p - 1 products in its expansion, each off
//     by a factor 1 + sqrt(5) u (Brent, Percival & Zimmermann 2007; 2.25 u covers underflow in a component), so
//     with rho = (1 + 2.25 u)^(p-1) - 1 <= s + s^2, s = 2.25 u p < 1/32,
//         |computed - z^p| <= rho r^p,    r^p <= |computed| / (1 - rho),
//         |z^p - X^p| <= (r + e0)^p - r^p <= r^p expm1(t) <= 1.008 t r^p.
//
// Product. |Y Z computed - exact| <= |Z| E + (|Y| + E) e + 2.25 u |Y| |Z| + 2^-1072.
//
// Inverse. The result y has, for every j,
//     |y_j - exact_j| <= (1/N) (sum_k E_k + B sum_k |Y_k|) + underflow,   k over all N frequencies.
//
// Every upper bound is evaluated in doubles with fewer than 16 roundings of nonnegative terms and then multiplied by 1
// + 2^-48 = 1 + 32 u; power_kernel.hpp bounds moduli. Overflow anywhere makes the bound infinite. For a probability
// vector to the power p the bound is about 1.1 (p + 1) B max_j y_j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/fft/real_fft.hpp"

namespace hockeystick {

/// The rule for raising to `power` >= 2 the coefficients of a sequence x with ||x||_1 <= norm, norm^power <= 2^1000,
/// that are known to within input_error = e0 as above.
PowerRule power_rule(std::int64_t power, double norm, double input_error);

/// Product of integer powers of cyclic sequences of length fft.size(), by the transform, with a proved bound.
class CyclicProduct {
 public:
  /// Keeps a reference to `real_fft`.
  explicit CyclicProduct(const RealFft& fft);

  /// Multiplies the product by sequence^(* power), 1 <= power <= 2^62. Overwrites `sequence` (workspace).
  /// Cost: one forward transform, and about 6 log2(power) flops for each frequency not negligible.
  void multiply(std::span<double> sequence, std::int64_t power);

  /// Writes the product; returns E with |result[j] - exact[j]| <= E for every j. If anything overflowed or was not
  /// finite, E is infinite and the result is zero. An empty product is the unit impulse.
  double finish(std::span<double> result) const;

  /// Memory of an object for this size, without the plan.
  static std::size_t bytes(std::size_t size);

 private:
  const RealFft* fft;
  std::vector<double> spectrum;  // in the order of RealFft::forward
  std::vector<double> error;     // E for X_0, X_(N/2), then each block's coefficients
  bool empty = true;
  bool overflowed = false;
};

/// Replaces x by x^(* power), for a single factor: the same bound as CyclicProduct, without its memory.
double cyclic_power(const RealFft& fft, std::span<double> x, std::int64_t power);

}  // namespace hockeystick
