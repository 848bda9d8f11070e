// SPDX-License-Identifier: Apache-2.0
// The real discrete Fourier transform and its error bound.
//
//     X_k = sum_j x_j w^(jk),  w = exp(-2 pi i / N);      x_j = (1/N) sum_k X_k w^(-jk).
//
// Decomposition. With d_j = x_j - x_(j+N/2) and z_j = (d_j - i d_(j+N/4)) w^j, j < N/4,
//     X_(4l+1) = sum_j z_j exp(-2 pi i j l / (N/4)),   X_(4l+3) = conj X_(N - 4l - 3)  (of the first kind),
//     X_(2l)   = the real transform of x_j + x_(j+N/2), j < N/2.
// So a real transform is a chain of complex ones, of N/4, N/8, .. points, in place, with no untangling
// and no bit reversal. A complex transform is radix 4 (radix 3 or 5 first, radix 2 at the end) on split
// real and imaginary parts; the inverse runs the same steps backwards, transposed and conjugated.
//
// Error bound (proved), u = 2^-53. Call a step L a linear map to one complex number with coefficients of
// modulus 1, and its computed version an eta-step if |L~(a) - L(a)| <= eta sum |a_i| for all a. If the
// inputs a~ satisfy |a~_i - a_i| <= E A_i, where A_i >= |a_i| is the sum of |x_j| over the inputs
// that reach a_i, then |L~(a~) - L(a)| <= ((1+E)(1+eta) - 1) sum A_i. By induction the error of an output is
// at most (prod (1+eta_i) - 1) sum_j |x_j|, and prod (1+eta_i) - 1 <= S/(1-S) with S = sum eta_i. Steps:
//     a sum or difference of two complex (or real) numbers                              u
//     a product by a root of unity stored within 0.78 u (roots_of_unity.hpp): sqrt(5) u for the product,
//       fused or not (Brent, Percival & Zimmermann 2007; fused: 2 u, Jeannerod et al. 2017)   3.02 u
//     radix 4 without twiddles: two sums                                                2 u
//     radix 3 without twiddles: input 0 meets 2 roundings; inputs 1, 2 meet, in t = a0 - (a1+a2)/2,
//       (1/2)(1 + 1) u, in (sqrt(3)/2)(a1-a2), 0.867 (1 + 1 + 0.6) u, and 1 u at the end      4.3 u
//     radix 5 without twiddles: inputs 1..4 meet, in the cosine part, 0.81 * 4 u + u/2, in the sine
//       part, 0.96 * 3 u + u/2, and 1 u at the end                                             8.3 u
//     the last 2p reals, p = 3 or 5, by definition: a product and 2p - 1 sums, roots off by 0.78 u (2p+1) u
//     multiplication by 1/N, rounded: only backwards                                    2 u
// (second-order terms are below 1e-14 relative to each eta and are covered by how these were rounded up).
// S is the largest sum along a path; one constant serves both directions:
//     forward   |X~_k - X_k| <= B sum_j |x_j|                              + underflow,
//     inverse   |y~_j - y_j| <= B (1/N) sum_{k < N} |Y_k| (both sides)     + underflow.
// B is 37.2 u at N = 2^15. Underflow: sums are exact; each of the fewer than 2 N complex values that
// reach an output meets at most 10 products, each off by 2^-1075 more, and later factors are below 2:
// underflow() = 64 N 2^-1074. No overflow happens if the right-hand sums are below 2^1020.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {

/// A plan for N = 2^a, 3 * 2^a or 5 * 2^a reals, 2 <= N <= 2^31. Immutable, hence thread-safe.
class RealFft {
 public:
  /// A run of complex coefficients: real parts at x[re ..], imaginary parts at x[im ..].
  struct Block {
    std::size_t re, im, count;
  };

  explicit RealFft(std::size_t size, const SimdKernels& kernel = default_fft_kernel());
  RealFft(const RealFft&) = delete;
  RealFft& operator=(const RealFft&) = delete;

  static bool supports(std::size_t size);
  /// The smallest supported size >= at_least; std::invalid_argument above 2^31.
  static std::size_t good_size(std::size_t at_least);
  /// Memory of a plan, known before it is made. Transforms work in place and need no more memory.
  static std::size_t bytes(std::size_t size);

  std::size_t size() const { return points; }
  const SimdKernels& scans() const { return *kernel; }
  double error_constant() const { return bound; }
  double underflow() const;

  /// In place: x[0] = X_0, x[1] = X_(N/2), then the blocks; each of the other coefficients appears once, as such or as
  /// its conjugate.
  void forward(std::span<double> x) const;
  /// In place, from the output of forward; includes the factor 1/N.
  void inverse(std::span<double> x) const;

  const std::vector<Block>& blocks() const { return runs; }
  /// For each block in turn, for each coefficient in turn, its k in [1, N).
  std::vector<std::size_t> frequencies() const;

 private:
  std::size_t points;
  FftTables tables;
  const SimdKernels* kernel;
  double bound;
  std::vector<double> twiddles;
  std::vector<double> base_re, base_im;  // exp(-2 pi i k / 2p), k < 2p, for odd p > 1
  std::vector<Block> runs;

  void fill_tables();
  void base_forward(double* x) const;
  void base_inverse(double* x, double scale) const;
};

}  // namespace hockeystick
