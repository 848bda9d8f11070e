// SPDX-License-Identifier: Apache-2.0
// e^x and e^x - 1 on vectors, for every instruction set; included as fft_kernel.hpp is.
//
// x = k log 2 + r, |r| < 0.3467, and p = e^r - 1 = r + r^2 T(r) by Taylor; e^x = 2^k (1 + p) and
// e^x - 1 = 2^k p + (2^k - 1). Errors, in units of u (*proved*; fused or not):
//     r: k times the leading 42 bits of log 2 is exact, and its difference from x too (Sterbenz), unless k = 0,
//       where r = x; then one rounding, 0.25 as |r| < 1/2, the second part's own product being below 2^-40 of that.
//     T in [0.44, 0.57]: rounded by 0.5 at most, its terms before by 0.15, together 1.5 relative; r^2 and the product
//       1 each, so that q = r^2 T, at most 0.069, is off by 0.25; what Taylor leaves out is below 0.003.
//     p = r + q: 0.25 e^r + 0.25 + 0.25, below 0.86, and below 0.7 for r < 0.
//     e^x: 0.86 + 1 over 1 where r > 0, 0.7 + 0.5 over 0.707 where r < 0: at most 2.
//     e^x - 1: k = 0: r is exact; 1 for the sum and 3.5 for q's share of p, at most 0.21: at most 2.
//       k = 1: (2 * 0.7 + 0.25) / 0.413 = 4.0 at the least x (there p is off by 0.18 + 0.15 + 0.25 only: 3.4), then
//       (1.4 + 0.5) / 0.5 and less; k >= 2: (2^k 0.7 + 2^(k-2)) / (2^k 0.457) = 2.1, where r > 0
//       (2^k 0.86 + 2^(k-1)) / (2^k 0.75) = 1.9; k < 0: (0.86 / 2 + 0.25) / 0.29 = 2.4 and less.
// So e^x is within 2 u and e^x - 1 within 4 u, relatively.
#pragma once

#include <cstddef>

#include "numeric/constants.hpp"
#include "numeric/fft/tables.hpp"
#include "numeric/simd/vec.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

template <class V>
struct ExponentialParts {
  V scale, rest;  // e^x = scale (1 + rest)
};

template <class V>
HOCKEYSTICK_INLINE ExponentialParts<V> exponential_parts(V argument) {
  const V x = larger(argument, V::broadcast(-708.0)), magic = V::broadcast(0x1.8p52);
  const V shifted = multiply_add(x, V::broadcast(0x1.71547652b82fep+0), magic), k = shifted - magic;
  const V high = V::broadcast(0x1.62e42fefa38p-1), low = V::broadcast(0x1.ef35793c7673p-45);
  const V r = (x - k * high) - k * low;
  V t = V::broadcast(1.0 / 87178291200.0);  // 1 / 14!
  t = multiply_add(t, r, V::broadcast(1.0 / 6227020800.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 479001600.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 39916800.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 3628800.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 362880.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 40320.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 5040.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 720.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 120.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 24.0));
  t = multiply_add(t, r, V::broadcast(1.0 / 6.0));
  t = multiply_add(t, r, V::broadcast(0.5));
  return {power_of_two(shifted), r + (r * r) * t};
}

template <class V>
HOCKEYSTICK_INLINE V power_of_parts(const ExponentialParts<V>& e) {
  return e.scale + e.scale * e.rest;
}

template <class V>
HOCKEYSTICK_INLINE V power_less_1_of_parts(const ExponentialParts<V>& e) {
  return multiply_add(e.scale, e.rest, e.scale - V::broadcast(1.0));
}

/// e^x for x <= 709; x below -708 counts as -708. Relative error at most 2 u, or 3 u below -690 (underflow of scale
/// rest).
template <class V>
HOCKEYSTICK_INLINE_LONG V exponential(V x) {
  return power_of_parts(exponential_parts(x));
}

/// e^x - 1 for such x. Relative error at most 4 u.
template <class V>
HOCKEYSTICK_INLINE_LONG V exponential_less_1(V x) {
  return power_less_1_of_parts(exponential_parts(x));
}

/// e^x of each of `count` values, a multiple of 8, in place.
inline void exponentials(double* x, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) exponential(Vec::load(x + j)).store(x + j);
}

/// e^x - 1, likewise.
inline void exponentials_less_1(double* x, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) exponential_less_1(Vec::load(x + j)).store(x + j);
}

/// e^x, likewise, and e^x - 1 in `less_1`: as they are alone, in less time.
inline void exponentials_both(double* x, double* less_1, std::size_t count) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    const ExponentialParts<Vec> e = exponential_parts(Vec::load(x + j));
    power_of_parts(e).store(x + j), power_less_1_of_parts(e).store(less_1 + j);
  }
}

/// (re + i im)^n of each of `count` numbers, a multiple of 8, in place, n >= 1, by repeated squaring: relative error
/// below 4 n u, *proved*: a square (x - y)(x + y), 2 x y is off by 3 u at most, a product by sqrt(5) u (Brent, Percival
/// & Zimmermann 2007), and a factor's error counts as often as the factor.
inline void powers(double* re, double* im, std::size_t count, std::uint64_t n) {
  for (std::size_t j = 0; j < count; j += Vec::lanes) {
    Vec x = Vec::load(re + j), y = Vec::load(im + j), real = Vec::broadcast(1), imaginary = Vec::broadcast(0);
    for (std::uint64_t bits = n;; bits >>= 1) {
      if (bits & 1) {
        const Vec next = multiply_subtract(real, x, imaginary * y);
        imaginary = multiply_add(real, y, imaginary * x);
        real = next;
      }
      if (bits <= 1) break;
      const Vec next = (x - y) * (x + y), product = x * y;
      y = product + product;
      x = next;
    }
    real.store(re + j);
    imaginary.store(im + j);
  }
}

/// Returns the largest base_j + tilt l_j and puts sum m_j, sum m_j l_j and sum m_j l_j^2 into sums, where m_j is
/// e^(base_j + tilt l_j - largest); plain sums, without most terms below e^-45.
inline double tilted_sums(const double* base, const double* loss, double tilt, std::size_t count, double* sums) {
  constexpr std::size_t width = Vec::lanes;
  const std::size_t whole = count / width * width;
  double last_base[width], last_loss[width];
  for (std::size_t i = 0; i < width; ++i) {
    const bool is_there = whole + i < count;
    last_base[i] = is_there ? base[whole + i] : -infinity;
    last_loss[i] = is_there ? loss[whole + i] : 0.0;
  }
  const Vec scale = Vec::broadcast(tilt);
  const auto exponent = [&](const double* b, const double* l) {
    return multiply_add(scale, Vec::load(l), Vec::load(b));
  };
  Vec most = exponent(last_base, last_loss);
  for (std::size_t j = 0; j < whole; j += width) most = larger(most, exponent(base + j, loss + j));
  double lanes[3][width], largest = -1e300;
  most.store(lanes[0]);
  for (std::size_t i = 0; i < width; ++i) largest = lanes[0][i] > largest ? lanes[0][i] : largest;
  // Compares the difference: under a steep tilt largest - 45 rounds to largest.
  const Vec unit = Vec::broadcast(largest), least = Vec::broadcast(-45.0);
  Vec total = Vec::broadcast(0), first = total, second = total;
  const auto add = [&](const double* b, const double* l) {
    const Vec argument = exponent(b, l) - unit;
    if (all_at_most(argument, least)) return;
    const Vec at = Vec::load(l), mass = exponential(argument), moment = mass * at;
    total = total + mass;
    first = first + moment;
    second = multiply_add(moment, at, second);
  };
  for (std::size_t j = 0; j < whole; j += width) add(base + j, loss + j);
  add(last_base, last_loss);
  total.store(lanes[0]), first.store(lanes[1]), second.store(lanes[2]);
  for (std::size_t part = 0; part < 3; ++part) {
    sums[part] = 0;
    for (std::size_t i = 0; i < width; ++i) sums[part] += lanes[part][i];
  }
  return largest;
}

/// Returns the largest exponent E_j, and puts m_j = e^(E_j - largest) into masses and sum m_j into sums, as if in twice
/// the working precision and then rounded, and sum m_j (off_j + tilt off_by_tilt_j + u (largest - E_j)), a plain sum.
/// What is below e^-708 counts as that.
inline double tilted_masses(const TiltedMasses& of, double tilt, double* masses, double* sums) {
  constexpr std::size_t width = Vec::lanes;
  const Vec scale = Vec::broadcast(tilt);
  Vec most = Vec::broadcast(-infinity);
  for (std::size_t j = 0; j < of.count; j += width) {
    const Vec exponent = multiply_add(scale, Vec::load(of.loss + j), Vec::load(of.base + j));
    exponent.store(masses + j);
    most = larger(most, exponent);
  }
  double lanes[3][width], largest = -infinity;
  most.store(lanes[0]);
  for (std::size_t i = 0; i < width; ++i) largest = lanes[0][i] > largest ? lanes[0][i] : largest;
  const Vec unit = Vec::broadcast(largest), rounding = Vec::broadcast(0x1p-53);
  Vec sum = Vec::broadcast(0), rest = sum, error = sum;
  for (std::size_t j = 0; j < of.count; j += width) {
    const Vec below = unit - Vec::load(masses + j), mass = exponential(Vec::broadcast(0) - below);
    mass.store(masses + j);
    const Vec next = sum + mass, seen = next - sum;
    rest = rest + ((sum - (next - seen)) + (mass - seen));
    sum = next;
    const Vec off = multiply_add(scale, Vec::load(of.off_by_tilt + j), Vec::load(of.off + j));
    error = multiply_add(mass, multiply_add(rounding, smaller(below, Vec::broadcast(708)), off), error);
  }
  sum.store(lanes[0]), rest.store(lanes[1]), error.store(lanes[2]);
  double total = 0, left = 0;
  sums[1] = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const double next = total + lanes[0][i], seen = next - total;
    left += lanes[1][i] + ((total - (next - seen)) + (lanes[0][i] - seen));
    total = next, sums[1] += lanes[2][i];
  }
  sums[0] = total + left;
  return largest;
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
