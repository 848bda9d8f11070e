// SPDX-License-Identifier: Apache-2.0
// Turns e^(i x), and sums of masses times e^(i x) - 1, for every instruction set; included as fft_kernel.hpp is.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

template <class V>
struct Turn {
  V cosine, sine;
};

constexpr double farthest_turn = 0x1p20;

/// Cosine and sine of |x| <= 2^20, within 6 u: x = k pi + r, pi in three parts, the products of the first two exact, so
/// that r is off by 2 u; Taylor leaves out 2^-59, and its terms, below 1.6, are off by 3 u.
template <class V>
HOCKEYSTICK_INLINE_LONG Turn<V> turn(V x) {
  const V magic = V::broadcast(0x1.8p52), one = V::broadcast(1.0), two = V::broadcast(2.0);
  const V k = multiply_add(x, V::broadcast(0x1.45f306dc9c883p-2), magic) - magic;
  const V odd = k - two * (multiply_add(k, V::broadcast(0.5), magic) - magic);  // -1, 0 or 1
  const V near = (x - k * V::broadcast(0x1.921fb54p+1)) - k * V::broadcast(0x1.10b46118p-29);
  const V r = near - k * V::broadcast(0x1.313198a2e037p-60), minus = V::broadcast(0.0) - r * r;
  V sine = V::broadcast(1.0 / 51090942171709440000.0), cosine = V::broadcast(1.0 / 1124000727777607680000.0);
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 121645100408832000.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 2432902008176640000.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 355687428096000.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 6402373705728000.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 1307674368000.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 20922789888000.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 6227020800.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 87178291200.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 39916800.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 479001600.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 362880.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 3628800.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 5040.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 40320.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 120.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 720.0));
  sine = multiply_add(sine, minus, V::broadcast(1.0 / 6.0));
  cosine = multiply_add(cosine, minus, V::broadcast(1.0 / 24.0));
  sine = r + r * (minus * sine);
  cosine = one + minus * multiply_add(cosine, minus, V::broadcast(0.5));
  const V sign = one - two * (odd * odd);
  return {sign * cosine, sign * sine};
}

/// e^(i x) - 1 for |x| <= 2^20, within 16 u min(2, |x|): with s and c the sine and cosine of x / 2 it is 2 s (-s + i
/// c). s is within 6 u min(1, |x| / 2), c within 6 u, the products round twice.
template <class V>
HOCKEYSTICK_INLINE Turn<V> turn_less_1(V x) {
  const Turn<V> half = turn(V::broadcast(0.5) * x);
  const V twice = half.sine + half.sine;
  return {V::broadcast(0.0) - twice * half.sine, twice * half.cosine};
}

/// Puts e^(i x_j) - 1 into re + i im, count a multiple of 8, |x_j| <= 2^20.
inline void turns_less_1(const double* x, double* re, double* im, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    const Turn<Vec> at = turn_less_1(Vec::load(x + j));
    at.cosine.store(re + j), at.sine.store(im + j);
  }
}

/// sums[2 t] + i sums[2 t + 1] = sum_j m_j (e^(i x_j) r_j^t - 1), 0 <= t < 4, r_j = 1 + re_j + i im_j, count a multiple
/// of 8, |x_j| <= 2^20. A term meets at most `turned_roundings(count)` of them on its way into a sum. From one t to
/// the next d = e - 1 becomes (f + d) + d f, f = r - 1: off by 4 u times the sum of the sizes of both and of f.
inline void rotate(const double* mass, const double* x, const double* re, const double* im, std::size_t count,
                   double* sums) {
  constexpr std::size_t width = Vec::lanes, group = width < 4 ? 4 : width, parts = group / width, times = 4;
  Vec real[times][parts], imaginary[times][parts];
  for (std::size_t t = 0; t < 2 * times; ++t) sums[t] = 0;
  for (std::size_t from = 0; from < count; from += turned_together) {
    HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < times; ++t) {
      HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) real[t][i] = imaginary[t][i] = Vec::broadcast(0);
    }
    const std::size_t end = from + turned_together < count ? from + turned_together : count;
    for (std::size_t j = from; j < end; j += group) {
      HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
        const std::size_t at = j + i * width;
        const Vec m = Vec::load(mass + at), a = Vec::load(re + at), b = Vec::load(im + at);
        Turn<Vec> d = turn_less_1(Vec::load(x + at));
        HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < times; ++t) {
          real[t][i] = multiply_add(m, d.cosine, real[t][i]);
          imaginary[t][i] = multiply_add(m, d.sine, imaginary[t][i]);
          if (t + 1 == times) break;
          d = {(d.cosine + a) + multiply_subtract(d.cosine, a, d.sine * b),
               (d.sine + b) + multiply_add(d.cosine, b, d.sine * a)};
        }
      }
    }
    double lanes[2][group];
    for (std::size_t t = 0; t < times; ++t) {
      HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
        real[t][i].store(lanes[0] + i * width);
        imaginary[t][i].store(lanes[1] + i * width);
      }
      for (std::size_t part = 0; part < 2; ++part) {
        double sum = 0;
        for (std::size_t i = 0; i < group; ++i) sum += lanes[part][i];
        sums[2 * t + part] += sum;
      }
    }
  }
}

/// re_k + i im_k = sum_j m_j e^(i (k + 1) x_j), k < times; count a multiple of 4, times of 8, |x_j| <= 2^17. Of a
/// vector of k, the first turns are computed afresh, within 9 u and a rounding of at most 8 |x_j|; each further vector
/// takes a turn that is off by 9 u, and sqrt(5) u for its product: e^(i (k + 1) x_j) is within (12 k + 9 + 8 |x_j|) u.
inline void turned_masses(const double* mass, const double* x, std::size_t count, double* re, double* im,
                          std::size_t times) {
  constexpr std::size_t width = Vec::lanes, parts = width < 8 ? 2 : 4;
  double first[width], last[2][width];
  for (std::size_t i = 0; i < width; ++i) first[i] = static_cast<double>(i + 1);
  for (std::size_t k = 0; k < times; ++k) re[k] = im[k] = 0;
  for (std::size_t j = 0; j < count; j += parts) {
    Vec real[parts], imaginary[parts], cosine[parts], sine[parts];
    HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
      const Turn<Vec> at = turn(Vec::load(first) * Vec::broadcast(x[j + i]));
      const Vec m = Vec::broadcast(mass[j + i]);
      at.cosine.store(last[0]), at.sine.store(last[1]);
      cosine[i] = Vec::broadcast(last[0][width - 1]), sine[i] = Vec::broadcast(last[1][width - 1]);
      real[i] = m * at.cosine, imaginary[i] = m * at.sine;
    }
    for (std::size_t k = 0; k < times; k += width) {
      Vec sum_re = Vec::load(re + k), sum_im = Vec::load(im + k);
      HOCKEYSTICK_UNROLL for (std::size_t i = 0; i < parts; ++i) {
        sum_re = sum_re + real[i], sum_im = sum_im + imaginary[i];
        const Vec next = multiply_subtract(real[i], cosine[i], imaginary[i] * sine[i]);
        imaginary[i] = multiply_add(real[i], sine[i], imaginary[i] * cosine[i]);
        real[i] = next;
      }
      sum_re.store(re + k), sum_im.store(im + k);
    }
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
