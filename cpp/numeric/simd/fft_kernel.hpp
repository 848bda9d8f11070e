// SPDX-License-Identifier: Apache-2.0
// The butterflies of the Fourier transform, for every instruction set. An ISA file defines HOCKEYSTICK_ISA (a
// namespace) and HOCKEYSTICK_LANES and includes this. No std function is called here.
//
// Complex numbers are split: real parts and imaginary parts in two contiguous runs. Order and error analysis are in
// real_fft.hpp. Forward is decimation in frequency, inverse the exact mirror image, so nothing is ever bit-reversed;
// the recursion is depth first, which suits every cache.
#pragma once

#include <cstddef>

#include "numeric/fft/tables.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

enum class Way { forward, inverse };

template <class V>
struct Complex {
  V re, im;
  HOCKEYSTICK_INLINE static Complex load(const double* re, const double* im) { return {V::load(re), V::load(im)}; }
  HOCKEYSTICK_INLINE void store(double* to_re, double* to_im) const { re.store(to_re), im.store(to_im); }
};
template <class V>
HOCKEYSTICK_INLINE Complex<V> operator+(Complex<V> a, Complex<V> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class V>
HOCKEYSTICK_INLINE Complex<V> operator-(Complex<V> a, Complex<V> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class V>  // a - i b
HOCKEYSTICK_INLINE Complex<V> minus_i(Complex<V> a, Complex<V> b) {
  return {a.re + b.im, a.im - b.re};
}
template <class V>  // a + i b
HOCKEYSTICK_INLINE Complex<V> plus_i(Complex<V> a, Complex<V> b) {
  return {a.re - b.im, a.im + b.re};
}
template <class V>  // a + c b, c real
HOCKEYSTICK_INLINE Complex<V> add_scaled(Complex<V> a, V c, Complex<V> b) {
  return {multiply_add(c, b.re, a.re), multiply_add(c, b.im, a.im)};
}

/// a w going forward, a conj(w) going back.
template <Way way, class V>
HOCKEYSTICK_INLINE Complex<V> twist(Complex<V> a, Complex<V> w) {
  if constexpr (way == Way::forward) {
    return {multiply_subtract(a.re, w.re, a.im * w.im), multiply_add(a.re, w.im, a.im * w.re)};
  } else {
    return {multiply_add(a.re, w.re, a.im * w.im), multiply_subtract(a.im, w.re, a.re * w.im)};
  }
}

/// Factors number t (of `count`) for the indices j, j+1, ..: the layout of FftTables.
template <class V>
HOCKEYSTICK_INLINE Complex<V> twiddle(const double* table, std::size_t j, std::size_t t, std::size_t count) {
  const double* p = table + (j / 4) * (8 * count) + 8 * t + j % 4;
#if HOCKEYSTICK_LANES == 8
  if constexpr (V::lanes == 8) {  // two groups
    const double* next = p + 8 * count;
    return {load_pair(p, next), load_pair(p + 4, next + 4)};
  } else
#endif
    return Complex<V>::load(p, p + 4);
}

// a[k] <- sum_j a[j] exp(-+ 2 pi i j k / r), r = 2, 3, 4, 5. The inverse exchanges k and r - k.

template <class V>
HOCKEYSTICK_INLINE void exchange(Complex<V>& a, Complex<V>& b) {
  const Complex<V> old = a;
  a = b, b = old;
}

template <Way, class V>
HOCKEYSTICK_INLINE void butterfly(Complex<V> (&a)[2]) {
  const Complex<V> sum = a[0] + a[1], difference = a[0] - a[1];
  a[0] = sum, a[1] = difference;
}

template <Way way, class V>
HOCKEYSTICK_INLINE void butterfly(Complex<V> (&a)[3]) {
  const V half = V::broadcast(-0.5), sine = V::broadcast(0.86602540378443864676);  // sin(2 pi/3)
  const Complex<V> sum = a[1] + a[2], difference = a[1] - a[2];
  const Complex<V> middle = add_scaled(a[0], half, sum), turn{sine * difference.re, sine * difference.im};
  a[0] = a[0] + sum, a[1] = minus_i(middle, turn), a[2] = plus_i(middle, turn);
  if constexpr (way == Way::inverse) exchange(a[1], a[2]);
}

template <Way way, class V>
HOCKEYSTICK_INLINE void butterfly(Complex<V> (&a)[4]) {
  const Complex<V> s02 = a[0] + a[2], d02 = a[0] - a[2], s13 = a[1] + a[3], d13 = a[1] - a[3];
  a[0] = s02 + s13, a[1] = minus_i(d02, d13), a[2] = s02 - s13, a[3] = plus_i(d02, d13);
  if constexpr (way == Way::inverse) exchange(a[1], a[3]);
}

template <Way way, class V>
HOCKEYSTICK_INLINE void butterfly(Complex<V> (&a)[5]) {
  const V c1 = V::broadcast(0.30901699437494742410), c2 = V::broadcast(-0.80901699437494742410);  // cos(2 pi k/5)
  const V s1 = V::broadcast(0.95105651629515357212), s2 = V::broadcast(0.58778525229247312917);   // sin(2 pi k/5)
  const V minus_s1 = V::broadcast(-0.95105651629515357212);
  const Complex<V> p = a[1] + a[4], m = a[1] - a[4], q = a[2] + a[3], n = a[2] - a[3];
  const Complex<V> even1 = add_scaled(add_scaled(a[0], c1, p), c2, q);
  const Complex<V> even2 = add_scaled(add_scaled(a[0], c2, p), c1, q);
  const Complex<V> turn1 = add_scaled(Complex<V>{s1 * m.re, s1 * m.im}, s2, n);
  const Complex<V> turn2 = add_scaled(Complex<V>{s2 * m.re, s2 * m.im}, minus_s1, n);
  a[0] = (a[0] + p) + q;
  a[1] = minus_i(even1, turn1), a[4] = plus_i(even1, turn1);
  a[2] = minus_i(even2, turn2), a[3] = plus_i(even2, turn2);
  if constexpr (way == Way::inverse) exchange(a[1], a[4]), exchange(a[2], a[3]);
}

/// A loop over [0, count) that can be interrupted about every 0.2 ms.
template <class Work>
HOCKEYSTICK_INLINE void in_pieces(std::size_t count, Work&& work) {
  constexpr std::size_t piece = 1 << 14;
  std::size_t from = 0;
  for (; count - from > piece; from += piece) work(from, from + piece), checkpoint();
  work(from, count);
}

/// One decimation step of radix r on r * part points: part t holds the frequencies t mod r (forward).
template <std::size_t radix, Way way, class V>
void pass(double* re, double* im, std::size_t part, const double* table, std::size_t from, std::size_t to) {
  for (std::size_t j = from; j < to; j += V::lanes) {
    Complex<V> a[radix];
    HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < radix; ++t) {
      a[t] = Complex<V>::load(re + t * part + j, im + t * part + j);
      if (way == Way::inverse && t > 0) a[t] = twist<way>(a[t], twiddle<V>(table, j, t - 1, radix - 1));
    }
    butterfly<way>(a);
    HOCKEYSTICK_UNROLL for (std::size_t t = 0; t < radix; ++t) {
      if (way == Way::forward && t > 0) a[t] = twist<way>(a[t], twiddle<V>(table, j, t - 1, radix - 1));
      a[t].store(re + t * part + j, im + t * part + j);
    }
  }
}

template <std::size_t radix, Way way, class V>
void pass(double* re, double* im, std::size_t part, const double* table) {
  in_pieces(part, [=](std::size_t from, std::size_t to) { pass<radix, way, V>(re, im, part, table, from, to); });
}

/// Radix 4 down the columns of the 4 x 4 matrix in (re, im), or those columns' twiddles.
template <Way way>
HOCKEYSTICK_INLINE void columns(Narrow (&re)[4][4 / Narrow::lanes], Narrow (&im)[4][4 / Narrow::lanes]) {
  HOCKEYSTICK_UNROLL for (std::size_t c = 0; c < 4 / Narrow::lanes; ++c) {
    Complex<Narrow> a[4];
    HOCKEYSTICK_UNROLL for (std::size_t r = 0; r < 4; ++r) a[r] = {re[r][c], im[r][c]};
    butterfly<way>(a);
    HOCKEYSTICK_UNROLL for (std::size_t r = 0; r < 4; ++r) re[r][c] = a[r].re, im[r][c] = a[r].im;
  }
}
template <Way way>
HOCKEYSTICK_INLINE void twist_rows(Narrow (&re)[4][4 / Narrow::lanes], Narrow (&im)[4][4 / Narrow::lanes],
                                   const double* table) {
  HOCKEYSTICK_UNROLL for (std::size_t r = 1; r < 4; ++r) {
    HOCKEYSTICK_UNROLL for (std::size_t c = 0; c < 4 / Narrow::lanes; ++c) {
      const Complex<Narrow> a =
          twist<way>(Complex<Narrow>{re[r][c], im[r][c]}, twiddle<Narrow>(table, c * Narrow::lanes, r - 1, 3));
      re[r][c] = a.re, im[r][c] = a.im;
    }
  }
}

/// 16 points in registers, as a 4 x 4 matrix: columns, twiddles, transposition, columns. Frequencies
/// come out in natural order.
template <Way way>
HOCKEYSTICK_INLINE void leaf16(double* re, double* im, const double* table) {
  Narrow x[4][4 / Narrow::lanes], y[4][4 / Narrow::lanes];
  HOCKEYSTICK_UNROLL for (std::size_t r = 0; r < 4; ++r) {
    HOCKEYSTICK_UNROLL for (std::size_t c = 0; c < 4 / Narrow::lanes; ++c) {
      x[r][c] = Narrow::load(re + 4 * r + c * Narrow::lanes), y[r][c] = Narrow::load(im + 4 * r + c * Narrow::lanes);
    }
  }
  columns<way>(x, y);
  if constexpr (way == Way::forward) twist_rows<way>(x, y, table);
  transpose(x), transpose(y);
  if constexpr (way == Way::inverse) twist_rows<way>(x, y, table);
  columns<way>(x, y);
  HOCKEYSTICK_UNROLL for (std::size_t r = 0; r < 4; ++r) {
    HOCKEYSTICK_UNROLL for (std::size_t c = 0; c < 4 / Narrow::lanes; ++c) {
      x[r][c].store(re + 4 * r + c * Narrow::lanes), y[r][c].store(im + 4 * r + c * Narrow::lanes);
    }
  }
}

template <std::size_t radix, Way way, class V>
void split(const FftTables& t, double* re, double* im, unsigned log2_part, const double* table);

/// Complex transform of 2^log2 points.
template <Way way>
void power_of_two(const FftTables& t, double* re, double* im, unsigned log2) {
  if (log2 == 4) {
    leaf16<way>(re, im, t.radix4[4]);
  } else if (log2 == 5) {
    split<2, way, Vec>(t, re, im, 4, t.radix2[5]);
  } else if (log2 > 5) {
    split<4, way, Vec>(t, re, im, log2 - 2, t.radix4[log2]);
  } else if (log2 > 0) {
    split<2, way, One>(t, re, im, log2 - 1, t.radix2[log2]);
  }
}

/// Complex transform of radix * 2^log2_part points: one decimation step and `radix` transforms of 2^log2_part.
template <std::size_t radix, Way way, class V>
void split(const FftTables& t, double* re, double* im, unsigned log2_part, const double* table) {
  const std::size_t part = std::size_t{1} << log2_part;
  if (log2_part >= 13) checkpoint();
  if (way == Way::forward) pass<radix, way, V>(re, im, part, table);
  for (std::size_t r = 0; r < radix; ++r) power_of_two<way>(t, re + r * part, im + r * part, log2_part);
  if (way == Way::inverse) pass<radix, way, V>(re, im, part, table);
}

/// Complex transform of odd * 2^log2 points.
template <Way way>
void complex_transform(const FftTables& t, double* re, double* im, unsigned log2) {
  const bool wide = (std::size_t{1} << log2) % Vec::lanes == 0 && log2 >= 2;
  if (t.odd == 3) {
    wide ? split<3, way, Vec>(t, re, im, log2, t.odd_radix[log2])
         : split<3, way, One>(t, re, im, log2, t.odd_radix[log2]);
  } else if (t.odd == 5) {
    wide ? split<5, way, Vec>(t, re, im, log2, t.odd_radix[log2])
         : split<5, way, One>(t, re, im, log2, t.odd_radix[log2]);
  } else {
    power_of_two<way>(t, re, im, log2);
  }
}

/// n = 4q reals: x[0, 2q) <- x_j + x_{j+2q}; with d_j = x_j - x_{j+2q}, x[2q, 3q) + i x[3q, 4q) <- (d_j - i d_{j+q})
/// w^j.
template <class V>
void real_forward(double* x, std::size_t q, const double* table, std::size_t from, std::size_t to) {
  for (std::size_t j = from; j < to; j += V::lanes) {
    const V a = V::load(x + j), b = V::load(x + q + j), c = V::load(x + 2 * q + j), d = V::load(x + 3 * q + j);
    const Complex<V> z = twist<Way::forward>(Complex<V>{a - c, d - b}, twiddle<V>(table, j, 0, 1));
    (a + c).store(x + j), (b + d).store(x + q + j);
    z.store(x + 2 * q + j, x + 3 * q + j);
  }
}

/// The transpose of real_forward, times scale: d_j - i d_{j+q} = 2 z_j conj(w^j), then x_j, x_{j+2q} = s_j +- d_j.
template <class V>
void real_inverse(double* x, std::size_t q, const double* table, double scale, std::size_t from, std::size_t to) {
  const V factor = V::broadcast(scale);
  for (std::size_t j = from; j < to; j += V::lanes) {
    const Complex<V> stored = Complex<V>::load(x + 2 * q + j, x + 3 * q + j);
    const Complex<V> z = twist<Way::inverse>(stored, twiddle<V>(table, j, 0, 1));
    const V s = V::load(x + j), t = V::load(x + q + j), d = z.re + z.re, e = z.im + z.im;
    ((s + d) * factor).store(x + j), ((t - e) * factor).store(x + q + j);
    ((s - d) * factor).store(x + 2 * q + j), ((t + e) * factor).store(x + 3 * q + j);
  }
}

inline void forward(const FftTables& t, double* x) {
  for (unsigned b = t.log2; b >= 2; --b) {
    const std::size_t q = std::size_t{t.odd} << (b - 2);
    in_pieces(q, [=, &t](std::size_t from, std::size_t to) {
      q % Vec::lanes == 0 ? real_forward<Vec>(x, q, t.real[b], from, to) : real_forward<One>(x, q, t.real[b], from, to);
    });
    complex_transform<Way::forward>(t, x + 2 * q, x + 3 * q, b - 2);
  }
}

inline void inverse(const FftTables& t, double* x, double scale) {
  for (unsigned b = 2; b <= t.log2; ++b) {
    const std::size_t q = std::size_t{t.odd} << (b - 2);
    const double factor = b == t.log2 ? scale : 1.0;
    complex_transform<Way::inverse>(t, x + 2 * q, x + 3 * q, b - 2);
    in_pieces(q, [=, &t](std::size_t from, std::size_t to) {
      q % Vec::lanes == 0 ? real_inverse<Vec>(x, q, t.real[b], factor, from, to)
                          : real_inverse<One>(x, q, t.real[b], factor, from, to);
    });
  }
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
