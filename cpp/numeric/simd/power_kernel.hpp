// SPDX-License-Identifier: Apache-2.0
// Powers and products of Fourier coefficients with bounds of their errors, for every instruction set; as
// fft_kernel.hpp. convolution.hpp has the proof.
//
// Moduli without a square root, with h >= l >= 0 the sizes of a number's two parts: sqrt(h^2 + l^2) is convex in l, so
//     max(h, (h + l) / sqrt(2)) <= |z| <= h + (sqrt(2) - 1) l,
// exact where l = 0 or l = h, off by at most 8.3 % between; and for any m > 0, |z| <= (m + |z|^2 / m) / 2, off by less
// than 0.4 % if m is the upper bound above. Each evaluation has fewer than 8 roundings.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

constexpr double above_all = 1 + 0x1p-48;            // covers fewer than 16 roundings of nonnegative terms
constexpr double product_rounding = 2.25 * 0x1p-53;  // of a complex product, relative

template <class V>
HOCKEYSTICK_INLINE V quick_modulus_above(V re, V im) {  // except for rounding
  const V a = magnitude(re), b = magnitude(im);
  return multiply_add(V::broadcast(0.4142136), smaller(a, b), larger(a, b));
}
template <class V>
HOCKEYSTICK_INLINE V quick_modulus_below(V re, V im) {  // except for rounding
  const V a = magnitude(re), b = magnitude(im);
  return larger(V::broadcast(0.7071067) * (a + b), larger(a, b));
}
template <class V>
HOCKEYSTICK_INLINE V modulus_above(V re, V im) {  // except for rounding; 2^-500 for squares that underflow
  const V tiny = V::broadcast(0x1p-500), m = quick_modulus_above(re, im) + tiny;
  return multiply_add(V::broadcast(0.5), m + multiply_add(re, re, im * im) / m, tiny);
}

/// `parts` vectors of coefficients to their power: repeated squaring from the leading bit down, at most power - 1
/// products in its expansion. Several vectors at a time hide the latency of the chain. Negligible ones start at 0:
/// their powers would be subnormal on the way, which takes a processor a hundred times as long.
template <class V, std::size_t parts>
HOCKEYSTICK_INLINE void repeated_squaring(const PowerRule& rule, const double* re, const double* im, V (&x)[parts],
                                          V (&y)[parts]) {
  const V limit = V::broadcast(rule.cut_square);
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
    const V a = V::load(re + i * V::lanes), b = V::load(im + i * V::lanes), square = multiply_add(a, a, b * b);
    x[i] = where_above(square, limit, a), y[i] = where_above(square, limit, b);
  }
  for (unsigned bit = rule.leading_bit; bit-- > 0;) {
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
      const V square = multiply_subtract(x[i], x[i], y[i] * y[i]);
      y[i] = (x[i] + x[i]) * y[i], x[i] = square;
    }
    if ((rule.power >> bit) % 2 == 0) continue;
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
      const V a = V::load(re + i * V::lanes), b = V::load(im + i * V::lanes);
      const V turned = multiply_subtract(x[i], a, y[i] * b);
      y[i] = multiply_add(x[i], b, y[i] * a), x[i] = turned;
    }
  }
}

/// Sums over lanes of error bounds and of moduli.
template <class V>
struct Sums {
  V errors = V::broadcast(0), moduli = V::broadcast(0);
  HOCKEYSTICK_INLINE void add_to(double* sums) const {
    double lanes[2][V::lanes];
    errors.store(lanes[0]), moduli.store(lanes[1]);
    for (std::size_t part = 0; part < 2; ++part) {
      for (std::size_t i = 0; i < V::lanes; ++i) sums[part] += lanes[part][i];
    }
  }
};

template <class V, std::size_t parts>
HOCKEYSTICK_INLINE void raise_group(const PowerRule& rule, double* re, double* im, double* error, Sums<V>& sums) {
  V x[parts], y[parts];
  repeated_squaring<V, parts>(rule, re, im, x, y);
  const V limit = V::broadcast(rule.cut_square), cut = V::broadcast(rule.cut_bound), out = V::broadcast(above_all);
  const V input = V::broadcast(rule.input_error), rounding = V::broadcast(rule.rounding);
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
    const std::size_t at = i * V::lanes;
    const V a = V::load(re + at), b = V::load(im + at), square = multiply_add(a, a, b * b);
    const V modulus = where_above(square, limit, quick_modulus_above(x[i], y[i]) * out);
    const V relative = input / quick_modulus_below(a, b) + rounding;
    const V bound = where_above(square, limit, modulus * relative * out) + cut;
    x[i].store(re + at), y[i].store(im + at);
    if (error != nullptr) bound.store(error + at);
    sums.errors = sums.errors + bound, sums.moduli = sums.moduli + modulus;
  }
}

/// Whether all of 4 vectors are negligible.
HOCKEYSTICK_INLINE bool all_cut(const PowerRule& rule, const double* re, const double* im) {
  const Vec limit = Vec::broadcast(rule.cut_square);
  bool cut = true;
  HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < 4 * Vec::lanes; i += Vec::lanes) {
    const Vec x = Vec::load(re + i), y = Vec::load(im + i);
    cut = cut & all_at_most(multiply_add(x, x, y * y), limit);
  }
  return cut;
}

/// Raises re + i im in place. Writes bounds of the errors to error[0, count), unless that is null, and adds their sum
/// to sums[0] and that of the moduli to sums[1], with fewer than count + 8 roundings each.
inline void raise(const PowerRule& rule, double* re, double* im, double* error, std::size_t count, double* sums) {
  constexpr std::size_t group = 4 * Vec::lanes;
  Sums<Vec> wide;
  std::size_t at = 0, cut = 0;
  for (; at + group <= count; at += group) {
    if (all_cut(rule, re + at, im + at)) {
      const Vec zero = Vec::broadcast(0), bound = Vec::broadcast(rule.cut_bound);
      HOCKEYSTICK_UNROLL for (std::size_t i = at; i < at + group; i += Vec::lanes) {
        zero.store(re + i), zero.store(im + i);
        if (error != nullptr) bound.store(error + i);
      }
      cut += group;
    } else {
      raise_group<Vec, 4>(rule, re + at, im + at, error == nullptr ? nullptr : error + at, wide);
    }
  }
  Sums<One> rest;
  for (; at < count; ++at) raise_group<One, 1>(rule, re + at, im + at, error == nullptr ? nullptr : error + at, rest);
  wide.add_to(sums), rest.add_to(sums);
  sums[0] += static_cast<double>(cut) * rule.cut_bound;
}

template <class V>
HOCKEYSTICK_INLINE void fold_at(double* re, double* im, double* error, const double* by_re, const double* by_im,
                                const double* by_error) {
  const V x = V::load(re), y = V::load(im), e = V::load(error);
  const V a = V::load(by_re), b = V::load(by_im), f = V::load(by_error);
  const V size = quick_modulus_above(x, y), by_size = modulus_above(a, b);
  const V rounding = V::broadcast(product_rounding) * (size * by_size) + V::broadcast(0x1p-1072);
  const V bound = multiply_add(by_size, e, multiply_add(size + e, f, rounding)) * V::broadcast(above_all);
  multiply_subtract(x, a, y * b).store(re), multiply_add(x, b, y * a).store(im), bound.store(error);
}

/// Multiplies re + i im, within `error`, by by_re + i by_im, within by_error.
inline void fold(double* re, double* im, double* error, const double* by_re, const double* by_im,
                 const double* by_error, std::size_t count) {
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) {
    fold_at<Vec>(re + i, im + i, error + i, by_re + i, by_im + i, by_error + i);
  }
  for (; i < count; ++i) fold_at<One>(re + i, im + i, error + i, by_re + i, by_im + i, by_error + i);
}

template <class V>
HOCKEYSTICK_INLINE void total_at(const double* re, const double* im, const double* error, Sums<V>& sums) {
  sums.errors = sums.errors + V::load(error);
  sums.moduli = sums.moduli + quick_modulus_above(V::load(re), V::load(im)) * V::broadcast(above_all);
}

/// Adds the errors to sums[0] and the moduli of re + i im to sums[1], fewer than count + 8 roundings each.
inline void total(const double* re, const double* im, const double* error, std::size_t count, double* sums) {
  Sums<Vec> wide;
  std::size_t i = 0;
  for (; i + Vec::lanes <= count; i += Vec::lanes) total_at<Vec>(re + i, im + i, error + i, wide);
  Sums<One> rest;
  for (; i < count; ++i) total_at<One>(re + i, im + i, error + i, rest);
  wide.add_to(sums), rest.add_to(sums);
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
