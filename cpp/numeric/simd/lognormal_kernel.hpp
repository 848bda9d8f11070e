// SPDX-License-Identifier: Apache-2.0
// Sums of F(z) = e^-z - 1 + z over the nodes of a line, z = s (Y - 1), for every instruction set; included as
// fft_kernel.hpp is.
//
// Rounding, in u, given Y - 1 within 20 of itself and weights within 24 of their size: z is off by 24 |z|, which enters
// F times F' = 1 - e^-z.
//     |z| <= 1: |F'| <= 1.72 |z|, and the series 10 |z|^2: below 56 |z|^2.
//     Else: |F'| <= 1 + e, e = |e^-z|; e^-z 4 e, cosine and sine 6 e, products and sums 4 (1 + e + |z|): below
//       56 (1 + |z|) (1 + e). Past 2^20 the cosine is not known, and e counts twice.
//     Weights and products 40 |F|, and the sum of n terms n / lanes + lanes.
// Slopes, of (Y - 1) (z - F): z 66 |z| or 24 |z| e, F as above; Y - 1, products and the weight 66 |z - F|, which is at
// most 1.72 |z| or 1 + e: below 3 times the above and 200 |z|.
#pragma once

#include <cstddef>

#include "numeric/constants.hpp"
#include "numeric/fft/tables.hpp"
#include "numeric/simd/exponential_kernel.hpp"
#include "numeric/simd/turn_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

/// 1 / k!, from 2.
constexpr double inverse_factorials[] = {1.0 / 2,
                                         1.0 / 6,
                                         1.0 / 24,
                                         1.0 / 120,
                                         1.0 / 720,
                                         1.0 / 5040,
                                         1.0 / 40320,
                                         1.0 / 362880,
                                         1.0 / 3628800,
                                         1.0 / 39916800,
                                         1.0 / 479001600,
                                         1.0 / 6227020800,
                                         1.0 / 87178291200,
                                         1.0 / 1307674368000,
                                         1.0 / 20922789888000,
                                         1.0 / 355687428096000,
                                         1.0 / 6402373705728000};

template <class V>
struct ComplexPair {
  V re, im;
};

/// F by `terms` terms of its series: 17 leave out 2^-56 |z|^2 for |z| <= 1, 9 leave out 2^-60 |z|^2 for |z| <= 1/16.
template <std::size_t terms, class V>
HOCKEYSTICK_INLINE ComplexPair<V> near_zero(V re, V im) {
  const V zero = V::broadcast(0.0), minus_re = zero - re, minus_im = zero - im;
  V ar = V::broadcast(inverse_factorials[terms - 1]), ai = zero;
  for (std::size_t j = terms - 1; j-- > 0;) {
    const V next = multiply_add(ar, minus_re, V::broadcast(inverse_factorials[j]) + im * ai);
    ai = multiply_add(ar, minus_im, minus_re * ai);
    ar = next;
  }
  const V square = (re - im) * (re + im), product = re * im, twice = product + product;
  return {multiply_subtract(ar, square, ai * twice), multiply_add(ar, twice, ai * square)};
}

/// Puts the sum and its error in u into sums[0..2] and, if `count` is not 3 but 6, the sum of (Y - 1) (z - F), the
/// slope, and its error in u into the others.
inline void lognormal_sums(const LognormalNodes& nodes, double real, double imaginary, double* sums,
                           std::size_t count) {
  const Vec sr = Vec::broadcast(real), si = Vec::broadcast(imaginary), zero = Vec::broadcast(0.0);
  const Vec one = Vec::broadcast(1.0), most = Vec::broadcast(56.0), tiny = Vec::broadcast(0x1p-8);
  const Vec farthest = Vec::broadcast(farthest_turn), minus_farthest = zero - farthest;
  const double per_term = 40 + static_cast<double>(nodes.count / Vec::lanes + Vec::lanes);
  const Vec carried = Vec::broadcast(per_term);
  Vec total[6] = {zero, zero, zero, zero, zero, zero};
  for (std::size_t k = 0; k < nodes.count; k += Vec::lanes) {
    const Vec yr = Vec::load(nodes.y_re + k), yi = Vec::load(nodes.y_im + k);
    const Vec zr = multiply_subtract(sr, yr, si * yi), zi = multiply_add(sr, yi, si * yr);
    const Vec square = multiply_add(zr, zr, zi * zi), spread = magnitude(zr) + magnitude(zi);
    ComplexPair<Vec> f;
    Vec off;
    if (all_at_most(square, tiny)) {
      f = near_zero<9>(zr, zi);
      off = most * square;
    } else if (all_at_most(square, one)) {
      f = near_zero<17>(zr, zi);
      off = most * square;
    } else {
      const Vec e = exponential(zero - zr);
      const Turn<Vec> at = turn(smaller(larger(zi, minus_farthest), farthest));
      f = {multiply_subtract(e, at.cosine, one) + zr, zi - e * at.sine};
      off =
          multiply_add(most * (one + spread), one + e, where_above(magnitude(zi), farthest, e * Vec::broadcast(2 / u)));
    }
    const Vec wr = Vec::load(nodes.weight_re + k), wi = Vec::load(nodes.weight_im + k);
    const Vec size = Vec::load(nodes.size + k);
    total[0] = total[0] + multiply_subtract(f.re, wr, f.im * wi);
    total[1] = total[1] + multiply_add(f.re, wi, f.im * wr);
    total[2] = multiply_add(size, multiply_add(carried, magnitude(f.re) + magnitude(f.im), off), total[2]);
    if (count > 3) {
      const Vec dr = zr - f.re, di = zi - f.im;
      const Vec pr = multiply_subtract(yr, dr, yi * di), pi = multiply_add(yr, di, yi * dr);
      total[3] = total[3] + multiply_subtract(pr, wr, pi * wi);
      total[4] = total[4] + multiply_add(pr, wi, pi * wr);
      const Vec wrong = multiply_add(Vec::broadcast(3.0), off, Vec::broadcast(200.0) * spread);
      const Vec summed = carried * (magnitude(dr) + magnitude(di));
      total[5] = multiply_add(size * (magnitude(yr) + magnitude(yi)), wrong + summed, total[5]);
    }
  }
  for (std::size_t part = 0; part < count; ++part) {
    double lanes[Vec::lanes];
    total[part].store(lanes);
    sums[part] = 0;
    for (std::size_t i = 0; i < Vec::lanes; ++i) sums[part] += lanes[i];
  }
}

/// Puts the sum of Im(e^(s d) value), |Im(s d)| <= 2^20, and a bound of its error into sums[0..1]: e^(s d) is off by 4
/// u and u |s d|, cosine and sine by 6 u, products and the sum of n terms by 4 + n / lanes + lanes.
inline void contour_sums(const ContourSamples& samples, double d, double* sums) {
  const Vec by = Vec::broadcast(d), zero = Vec::broadcast(0.0), unit = Vec::broadcast(u);
  const Vec carried = Vec::broadcast(16 + static_cast<double>(samples.count / Vec::lanes + Vec::lanes));
  Vec total = zero, error = zero;
  for (std::size_t k = 0; k < samples.count; k += Vec::lanes) {
    const Vec re = Vec::load(samples.s_re + k) * by, im = Vec::load(samples.s_im + k) * by, e = exponential(re);
    const Turn<Vec> at = turn(im);
    const Vec x = Vec::load(samples.value_re + k), y = Vec::load(samples.value_im + k);
    total = multiply_add(e, multiply_add(y, at.cosine, x * at.sine), total);
    const Vec rounding = (magnitude(re) + magnitude(im) + carried) * unit * (magnitude(x) + magnitude(y));
    const Vec given = multiply_add(by, Vec::load(samples.off_by_d + k), Vec::load(samples.off + k));
    error = multiply_add(e, rounding + given, error);
  }
  double lanes[2][Vec::lanes];
  total.store(lanes[0]), error.store(lanes[1]);
  sums[0] = sums[1] = 0;
  for (std::size_t i = 0; i < Vec::lanes; ++i) sums[0] += lanes[0][i], sums[1] += lanes[1][i];
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
