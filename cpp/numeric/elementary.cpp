// SPDX-License-Identifier: Apache-2.0
// Exponentials, logarithms and what follows from them. Errors in units of u.
#include "numeric/elementary.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "numeric/constants.hpp"
#include "numeric/double_bits.hpp"
#include "numeric/twofold.hpp"

#if defined(HOCKEYSTICK_SMALL_MODULE)  // whose tables, which hardly compress, are filled before all else when it starts
#define HOCKEYSTICK_FILL inline
#define HOCKEYSTICK_TABLE [[gnu::init_priority(101)]] const
#else
#define HOCKEYSTICK_FILL constexpr
#define HOCKEYSTICK_TABLE constexpr
#endif

namespace hockeystick::math {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// 2^(i/128) = value (1 + rest).
struct Power {
  double value, rest;
};

HOCKEYSTICK_FILL std::array<Power, 128> powers_of_two() {
  const Twofold part{twofold_log_two.hi / 128, twofold_log_two.lo / 128};
  Twofold base{1, 0};
  for (int n = 14; n >= 1; --n) base = add({1, 0}, divide(multiply(part, base), n));
  std::array<Power, 128> table{};
  Twofold at{1, 0};
  for (Power& power : table) {
    power = {at.hi, at.lo / at.hi};
    at = multiply(at, base);
  }
  return table;
}

HOCKEYSTICK_TABLE std::array<Power, 128> powers = powers_of_two();

// log(2) / 128 as 35 bits, so that products with k < 2^18 are exact, and a rest.
constexpr Twofold step_parts = rounded_to(twofold_log_two, -35);
constexpr double step_high = step_parts.hi / 128, step_low = step_parts.lo / 128;
constexpr double steps_per_nat = 128 / twofold_log_two.hi;

// e^x = 2^exponent value (1 + rest), value in [1, 2), for |x| <= 746.
//
// x = k log(2) / 128 + r, |r| <= 0.00272. x - k step_high is exact (a multiple of 2^-61 below 2^-8 unless k = 0); k
// step_low and the difference round by 2^-62. Taylor to r^5 leaves out 6e-19. Sums and products round `rest`, below
// 0.0028, by 3 relative: in all rest is off by 0.03.
struct Exponential {
  std::uint64_t index;  // k in its lowest bits, in two's complement
  double value, rest;
};

inline Exponential exponential(double x) {
  const double shifted = x * steps_per_nat + 0x1.8p52, k = shifted - 0x1.8p52;
  const double r = (x - k * step_high) - k * step_low, square = r * r;
  const std::uint64_t index = bits_of(shifted);
  const Power& power = powers[index & 127];
  const double high = (1.0 / 24 + r * (1.0 / 120)) * square + (0.5 + r * (1.0 / 6));
  return {index, power.value, (power.rest + r) + square * high};
}

// Of `of`, where 2^exponent is a normal number.
inline double scale(const Exponential& of) { return double_of(bits_of(of.value) + ((of.index & ~127ull) << 45)); }

double extreme_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 0x1.62e42fefa39efp+9) return infinity;
  if (x < -745.2) return 0;
  const Exponential e = exponential(x);
  const auto k = static_cast<std::int64_t>(e.index << 13) >> 20;  // signed, without the lowest 7 of 51 bits
  return std::ldexp(e.value + e.value * e.rest, static_cast<int>(k));
}

// log(c) = high + low for the centre c of an interval of fractions, high a multiple of 2^-42; and 1 / c.
struct Centre {
  double value, inverse, high, low;
};

// Fractions lie in [0.71875, 1.4375), in 72 intervals of 2^-8 and 56 of 2^-7.
constexpr std::uint64_t fractions_from = 0x3fe7000000000000;

constexpr double centre_of(int i) { return i < 72 ? 0.71875 + (i + 0.5) / 256 : 1 + (i - 72 + 0.5) / 128; }

// log(b / a) = 2 atanh((b - a) / (b + a)), |b / a - 1| <= 2^-7; s^16 / 17 is below 2^-130.
constexpr Twofold log_of_ratio(double a, double b) {
  const Twofold s = divide({b - a, 0}, b + a), square = multiply(s, s);
  Twofold sum = divide({1, 0}, 15);
  for (int n = 13; n >= 1; n -= 2) sum = add(multiply(sum, square), divide({1, 0}, n));
  const Twofold half = multiply(s, sum);
  return {2 * half.hi, 2 * half.lo};
}

constexpr Centre centre_with(double value, Twofold logarithm) {
  const Twofold parts = rounded_to(logarithm, -42);
  return {value, 1 / value, parts.hi, parts.lo};
}

HOCKEYSTICK_FILL std::array<Centre, 128> fraction_centres() {
  std::array<Centre, 128> table{};
  Twofold logarithm = log_of_ratio(1, centre_of(72));
  for (int i = 72; i < 128; ++i) {
    table[static_cast<std::size_t>(i)] = centre_with(centre_of(i), logarithm);
    if (i < 127) logarithm = add(logarithm, log_of_ratio(centre_of(i), centre_of(i + 1)));
  }
  logarithm = log_of_ratio(1, centre_of(71));
  for (int i = 71; i >= 0; --i) {
    table[static_cast<std::size_t>(i)] = centre_with(centre_of(i), logarithm);
    if (i > 0) logarithm = add(logarithm, log_of_ratio(centre_of(i), centre_of(i - 1)));
  }
  return table;
}

HOCKEYSTICK_TABLE std::array<Centre, 128> centres = fraction_centres();
constexpr Twofold log_two = rounded_to(twofold_log_two, -42);

// log(x) + extra for a normal number x > 0, |log(x)| >= 0.0307, |extra| <= 2^-53.
//
// x = 2^k (c + f) exactly, r = f / c, |r| <= 2^-8: off by 2 relative. k log 2 and log(c) are sums of multiples of 2^-42
// below 2^10, whose sum is exact, and rests below 2^-32. Taylor to r^7 leaves out 2^-67. The sums of r and lesser terms
// round by 2^-8. Over 0.0307: 0.26 for r, 0.13 for the sums, 0.01 for the rest, and 1 for the last sum: 1.4.
inline double logarithm(double x, double extra, double exponent) {
  const std::uint64_t bits = bits_of(x) - fractions_from;
  const double k = static_cast<double>(static_cast<std::int64_t>(bits) >> 52) + exponent;
  const Centre& centre = centres[(bits >> 45) & 127];
  const double fraction = double_of((bits & 0x000fffffffffffff) + fractions_from);
  const double r = (fraction - centre.value) * centre.inverse, square = r * r;
  const double lowest = (-0.25 + r * 0.2) + square * (-1.0 / 6 + r * (1.0 / 7));
  const double lower = (-0.5 + r * (1.0 / 3)) + square * lowest;
  return (k * log_two.hi + centre.high) + (r + (((k * log_two.lo + centre.low) + extra) + square * lower));
}

// log(1 + f) for |f| <= 1/31: with s = f / (2 + f), z = s^2 <= 2^-11.9 it is f - (f^2 / 2 - s (f^2 / 2 + R)), R = 2 z /
// 3
// + 2 z^2 / 5 + .., of which 2 z^5 / 11 is left out. The difference taken from f is below |f| / 60 and off by 4
// relative, so that the whole is off by 1.1.
inline double logarithm_near_1(double f) {
  const double s = f / (2 + f), z = s * s, half = 0.5 * (f * f);
  return f - (half - s * (half + z * (2.0 / 3 + z * (2.0 / 5 + z * (2.0 / 7 + z * (2.0 / 9))))));
}

double extreme_log(double x) {
  if (std::isnan(x) || x == infinity) return x;
  if (x == 0) return -infinity;
  return x < 0 ? nan : logarithm(x * 0x1p54, 0, -54);
}

}  // namespace

// The product and the last sum: 0.03 + 2^-8 + 1.
double exp(double x) {
  if (!(std::fabs(x) < 708)) return extreme_exp(x);
  const Exponential e = exponential(x);
  const double whole = scale(e);
  return whole + whole * e.rest;
}

// Up to 1/16, Taylor to x^10 leaves out 2^-65; what is added to x is below x / 31 and off by 4 relative. Beyond, 2^k T
// - 1 is exact between 1/2 and 2 and elsewhere off by at most half a unit of the result; `rest` is off by 0.03 of 2^k
// T, at most 17 times the result where the difference is exact: 0.6 + 1, else 0.07 + 1 + 1.
double expm1(double x) {
  const double size = std::fabs(x);
  if (size < 0x1p-4) {
    if (size < 0x1p-54) return x;
    const double square = x * x, low = 0.5 + x * (1.0 / 6), next = 1.0 / 24 + x * (1.0 / 120);
    const double high = 1.0 / 720 + x * (1.0 / 5040), highest = 1.0 / 40320 + x * (1.0 / 362880 + x * (1.0 / 3628800));
    return x + square * (low + square * (next + square * (high + square * highest)));
  }
  if (!(size < 708)) return x < 0 ? -1 : extreme_exp(x);
  const Exponential e = exponential(x);
  const double whole = scale(e);
  return (whole - 1) + whole * e.rest;
}

double log(double x) {
  constexpr std::uint64_t least = 0x0010000000000000, beyond = 0x7ff0000000000000;
  if (std::fabs(x - 1) < 0x1p-5) return logarithm_near_1(x - 1);
  if (bits_of(x) - least >= beyond - least) return extreme_log(x);
  return logarithm(x, 0, 0);
}

// 1 + x = y + c exactly, so that log(1 + x) = log(y) + c / y but for u^2.
double log1p(double x) {
  if (std::fabs(x) < 0x1p-5) return logarithm_near_1(x);
  if (!(x > -1 && x < infinity)) return extreme_log(1 + x);
  const auto [y, c] = two_sum(1.0, x);
  return logarithm(y, c / y, 0);
}

double log2(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);  // in [1/2, 1)
  if (!(x > 0 && x < infinity)) return log(x);
  const bool above = fraction < 0.70710678118654752;
  return (exponent - above) + log(above ? 2 * fraction : fraction) / twofold_log_two.hi;
}

// t = e^|x| - 1: 2.3; t / (t + 1): 4.3, and at most half of the sum: 3.3 + 1. Beyond 22, e^-2|x| is below 2^-63.
double sinh(double x) {
  const double size = std::fabs(x), sign = std::copysign(0.5, x);
  if (size < 22) {
    const double t = expm1(size);
    return sign * (t + t / (t + 1));
  }
  if (size < 709) return sign * exp(size);
  const double root = exp(0.5 * size);
  return (sign * root) * root;
}

double cosh(double x) {
  const double size = std::fabs(x), grown = exp(size < 709 ? size : 0.5 * size);
  return size < 709 ? 0.5 * grown + 0.5 / grown : (0.5 * grown) * grown;
}

// asinh x = log1p(y), y = x + x^2 / (1 + sqrt(1 + x^2)), whose second term is off by 4.5: y by 4.5, and so the
// logarithm by no more, and by 1.9 of its own.
double asinh(double x) {
  const double size = std::fabs(x);
  if (!(size < 0x1p28)) return std::copysign(log(size) + twofold_log_two.hi, x);
  const double square = size * size;
  return std::copysign(log1p(size + square / (1 + std::sqrt(1 + square))), x);
}

// log1p(t + sqrt(t (2 + t))), t = x - 1.
double acosh(double x) {
  if (!(x < 0x1p28)) return log(x) + twofold_log_two.hi;
  const double t = x - 1;
  return log1p(t + std::sqrt(t * (2 + t)));
}

double pow(double x, double y) { return exp(y * log(x)); }

}  // namespace hockeystick::math
