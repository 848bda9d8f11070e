// SPDX-License-Identifier: Apache-2.0
// The tables and requests that kernels take. Included by files compiled for one instruction set: no std functions.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hockeystick {

/// Twiddle factors for the real transform of size odd * 2^log2.
///
/// A table for radix r and size m = r * part holds exp(-2 pi i j t / m), 0 <= j < part, 1 <= t < r, in groups of four j
/// (padded): for each group, for each t, four real parts and then four imaginary parts.
struct FftTables {
  unsigned odd;                 // 1, 3 or 5
  unsigned log2;                // >= 1
  const double* real[32];       // [b]: exp(-2 pi i j / n), n = odd 2^b, 0 <= j < n/4,
                                // in the layout of r = 2
  const double* odd_radix[32];  // [b]: radix odd, m = odd 2^b
  const double* radix4[32];     // [b]: radix 4, m = 2^b
  const double* radix2[32];     // [b]: radix 2, m = 2^b; only b = 1, 2, 3, 5
};

/// The rule for raising coefficients z to a power p >= 2 (convolution.hpp): 0 within cut_bound if |z|^2 <= cut_square;
/// otherwise the computed y within |y| (input_error / |z| + rounding) + cut_bound.
struct PowerRule {
  std::uint64_t power;   // p
  unsigned leading_bit;  // floor(log2 p)
  double cut_square, cut_bound, input_error, rounding;
};

/// Terms of `turned_sums` that are summed apart from the others, and how many roundings a term meets at most.
inline constexpr std::size_t summed_together = 64;
constexpr double sum_roundings(std::size_t count) {
  return static_cast<double>((count < summed_together ? count : summed_together) + count / summed_together + 8);
}

/// Points of `rotate` that are summed apart from the others, in groups of at least four, and how many roundings a term
/// meets at most.
inline constexpr std::size_t turned_together = 256;
constexpr double turned_roundings(std::size_t count) {
  return static_cast<double>((count < turned_together ? count : turned_together) / 4 + count / turned_together + 8);
}

/// A normal density e^(-slope y - y^2/2) and its weights in three integrands.
struct PanelDensity {
  bool used;
  double slope, p, above, below;
};

/// A Gauss-Legendre panel of `width`: for y from 0 to width, with g the sum of the densities with their weights, the
/// integrals of g_p, of g_above (1 - e^(-rate (offset + y))) and of g_below (e^(rate (rest + width - y)) - 1). The
/// first density is used. Nodes on [0, 1], weights and 1 - nodes are padded with zeros to 8.
struct PanelRequest {
  const double *nodes, *mirrored, *weights;
  std::size_t count;
  double width, rate, offset, rest;
  PanelDensity density[2];
};

/// Eight cells [from, to], each one Gauss-Legendre panel, of a pair with centres 0 and `rate`: the integrals of P, of
/// kappa_from (1 - e^(-rate (x - from))) and of kappa_to (e^(rate (to - x)) - 1), where P = weights[0] phi(x) +
/// weights[1] phi(x - rate), kappa_r = k0(r) phi(x) + k1 phi(x - rate). Densities of zero weight are not used.
struct CellGroup {
  const double *nodes, *weights;  // of the rule, on [0, 1]
  std::size_t count;              // at most 6
  double rate, p[2], k1;
  bool used[2];
  const double *from, *to, *k0_from, *k0_to;  // each of 8
};

/// Nodes of lognormal_transform.hpp, a multiple of 8: weights, sizes of the weights, and Y - 1.
struct LognormalNodes {
  const double *weight_re, *weight_im, *size, *y_re, *y_im;
  std::size_t count;
};

/// The pairs x[n + at] y[n + factor_at] of a diagonal, with three weights.
struct Diagonal {
  std::ptrdiff_t at, factor_at;
  double first, second, third;
};

/// Outputs of the kernel of diagonals, which a multiple of a vector fits.
constexpr std::size_t diagonal_block = 16;

/// Samples of a contour, a multiple of 8: s, the values to be multiplied by e^(s d), and their errors: of a value, and
/// of s times the size of the value.
struct ContourSamples {
  const double *s_re, *s_im, *value_re, *value_im, *off, *off_by_d;
  std::size_t count;
};

/// Masses e^(base + tilt loss), a multiple of 8 of them, whose relative errors are off + tilt off_by_tilt.
struct TiltedMasses {
  const double *base, *loss, *off, *off_by_tilt;
  std::size_t count;
};

/// Of the splines by which masses are spread on a grid: points that a mass is spread on.
constexpr std::size_t spline_order = 18;

/// One implementation of the butterflies and of all other *_kernel.hpp. Null: not in this build.
struct SimdKernels {
  const char* name;
  void (*forward)(const FftTables&, double* x) = nullptr;
  void (*inverse)(const FftTables&, double* x, double scale) = nullptr;
  double (*absolute_sum)(const double* x, std::size_t n) = nullptr;
  bool (*lie_within)(const double* x, std::size_t count, double low, double high) = nullptr;
  void (*powers)(double* re, double* im, std::size_t count, std::uint64_t n) = nullptr;
  void (*exponentials)(double* x, std::size_t count) = nullptr;
  void (*exponentials_less_1)(double* x, std::size_t count) = nullptr;
  void (*exponentials_both)(double* x, double* less_1, std::size_t count) = nullptr;
  void (*logarithms)(double* x, std::size_t count) = nullptr;
  void (*logarithms_of_1_plus)(double* y, std::size_t count) = nullptr;
  void (*sampled_logs)(double q, double* t, double* weight, std::size_t count) = nullptr;
  void (*normal_tails)(double* x, std::size_t count) = nullptr;
  double (*tilted_sums)(const double* base, const double* loss, double tilt, std::size_t count, double* sums) = nullptr;
  double (*tilted_masses)(const TiltedMasses&, double tilt, double* masses, double* sums) = nullptr;
  void (*turned_sums)(const double* re, const double* im, std::size_t count, double cosine, double sine,
                      double* sums) = nullptr;
  void (*turns_less_1)(const double* x, double* re, double* im, std::size_t count) = nullptr;
  void (*rotate)(const double* mass, const double* x, const double* re, const double* im, std::size_t count,
                 double* sums) = nullptr;
  void (*turned_masses)(const double* mass, const double* x, std::size_t count, double* re, double* im,
                        std::size_t times) = nullptr;
  void (*spread)(const double* mass, const double* offset, const std::uint32_t* first, std::size_t count,
                 double* grid) = nullptr;
  void (*weigh)(const double* x, const double (*weights)[64], std::size_t n, double* sums) = nullptr;
  void (*raise)(const PowerRule&, double* re, double* im, double* error, std::size_t count, double* sums) = nullptr;
  void (*fold)(double* re, double* im, double* error, const double* by_re, const double* by_im, const double* by_error,
               std::size_t count) = nullptr;
  void (*total)(const double* re, const double* im, const double* error, std::size_t count, double* sums) = nullptr;
  void (*panel)(const PanelRequest&, double* sums) = nullptr;
  void (*cells)(const CellGroup&, double* p, double* above, double* below) = nullptr;
  void (*contour_sums)(const ContourSamples&, double d, double* sums) = nullptr;
  void (*lognormal_sums)(const LognormalNodes&, double real, double imaginary, double* sums,
                         std::size_t count) = nullptr;
  void (*merge_diagonals)(const Diagonal*, std::size_t count, std::ptrdiff_t start, const double* mass,
                          const double* moment, const double* factor, const double* factor_moment, double* sum,
                          double* sum_moment) = nullptr;
};

extern const SimdKernels fft_scalar;
extern const SimdKernels fft_sse2;
extern const SimdKernels fft_neon;
extern const SimdKernels fft_wasm;
extern const SimdKernels fft_avx2;
extern const SimdKernels fft_avx512;

}  // namespace hockeystick
