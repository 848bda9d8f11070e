// SPDX-License-Identifier: Apache-2.0
// Sines, cosines, angles and moduli. Errors in units of u.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "numeric/constants.hpp"
#include "numeric/double_bits.hpp"
#include "numeric/elementary.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick::math {
namespace {

constexpr Twofold half_pi{twofold_pi.hi / 2, twofold_pi.lo / 2};

// x = quadrant pi / 2 + hi + lo, |hi| <= pi / 4 but for a rounding, |lo| <= ulp(hi) / 2.
struct Reduced {
  std::uint64_t quadrant;  // in its lowest two bits
  double hi, lo;
};

// pi / 2 as 33 bits, 33 bits and a rest, off by 2^-107: products of the first two with k <= 2^20 are exact.
constexpr Twofold first_parts = rounded_to(half_pi, -32);
constexpr double first = first_parts.hi;
constexpr Twofold second_parts = rounded_to(normalize(half_pi.hi - first, half_pi.lo), -65);
constexpr double second = second_parts.hi, third = second_parts.lo;

// |x| <= 2^20. x - k first is exact, as a multiple of 2^-53 below 1; the next difference is exact in two doubles; the
// last product and sum are off by 2^-99, and k times the rest of pi / 2 by 2^-87: 2^-63 of hi where |hi| >= 2^-24.
Reduced reduce_near(double x) {
  const double shifted = x * (1 / half_pi.hi) + 0x1.8p52, k = shifted - 0x1.8p52;
  const TwoParts high = two_sum(x - k * first, -(k * second));
  const TwoParts all = two_sum(high.value, high.error - k * third);
  return {bits_of(shifted), all.value, all.error};
}

// 2 / pi in units of 2^-32, 2^-64, ..
constexpr std::array<std::uint32_t, 40> two_over_pi{
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

// x = m 2^e >= 1/2 (Payne & Hanek). Words of 2 / pi whose products are multiples of 4 are left out, and so are those
// after the next eight, by 2^-170; of x / (pi / 2) mod 1, which is never below 2^-63, 128 bits are kept.
Reduced reduce_far(double x) {
  const std::uint64_t bits = bits_of(x), m = (bits & 0x000fffffffffffff) | 0x0010000000000000;
  const int e = static_cast<int>((bits >> 52) & 0x7ff) - 1075;
  const int skipped = e > 2 ? (e - 2) / 32 : 0;
  // m times eight words: limbs of 32 bits from the highest, in units of 2^(e - 32 skipped - 256) for the last.
  std::array<std::uint64_t, 11> limbs{};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t factor = half == 0 ? m & 0xffffffff : m >> 32;
    std::uint64_t carry = 0;
    for (std::size_t i = 8; i-- > 0;) {
      const std::size_t at = i + 3 - half;
      const std::uint64_t sum = factor * two_over_pi[static_cast<std::size_t>(skipped) + i] + limbs[at] + carry;
      limbs[at] = sum & 0xffffffff, carry = sum >> 32;
    }
    for (std::size_t at = 3 - half; carry != 0; carry >>= 32) {
      carry += limbs[--at];
      limbs[at] = carry & 0xffffffff;
    }
  }
  // limbs[3] starts with the unit 2^(e - 32 skipped - 32): integers are `up` bits above, -53 <= up <= 33.
  const int up = e - 32 * skipped;
  const auto word = [&](int from) {  // 32 bits that start `from` bits below the point
    const int start = 96 + up + from;
    const std::size_t at = static_cast<std::size_t>(start / 32);
    const std::uint64_t next = at + 1 < limbs.size() ? limbs[at + 1] : 0;
    return ((limbs[at] << 32 | next) >> (32 - start % 32)) & 0xffffffff;
  };
  std::uint64_t quadrant = word(-32) & 3;
  std::array<std::uint64_t, 4> fraction{word(0), word(32), word(64), word(96)};
  const bool is_above = fraction[0] >> 31 != 0;
  if (is_above) {
    ++quadrant;
    for (std::uint64_t& each : fraction) each = ~each & 0xffffffff;  // 1 - fraction but for 2^-128
  }
  Twofold turns{0, 0};
  double unit = is_above ? -0x1p-32 : 0x1p-32;
  for (const std::uint64_t each : fraction) {
    turns = add(turns, {static_cast<double>(each) * unit, 0});
    unit *= 0x1p-32;
  }
  const Twofold angle = multiply(turns, half_pi);
  return {quadrant, angle.hi, angle.lo};
}

Reduced reduce(double x) {
  const double size = std::fabs(x);
  if (size <= 0x1p20) {
    const Reduced near = reduce_near(x);
    if (std::fabs(near.hi) >= 0x1p-24) return near;
  }
  const Reduced of = reduce_far(size);
  return x > 0 ? of : Reduced{-of.quadrant, -of.hi, -of.lo};
}

// Taylor to r^17 leaves out 1e-19. r^3 / 6 - .. is below r / 10 and off by 4 relative, lo (cos(r) - 1) by 0.3: 1.7 of
// r, which is below 1.12 sin r.
double sine(double hi, double lo) {
  const double z = hi * hi, square = z * z;
  const double low = (1.0 / 6 - z * (1.0 / 120)) + square * (1.0 / 5040 - z * (1.0 / 362880));
  const double high =
      (1.0 / 39916800 - z * (1.0 / 6227020800)) + square * (1.0 / 1307674368000 - z * (1.0 / 355687428096000));
  return hi - (hi * z * (low + square * square * high) - lo);
}

// Taylor to r^16 leaves out 2e-18. 1 - z / 2 is c and a rest exactly; z / 2 <= 0.309 is off by 0.154, the smaller terms
// by 0.02, the last sum by 1 relative: over 0.707, 1.3.
double cosine(double hi, double lo) {
  const double z = hi * hi, square = z * z, half = 0.5 * z, c = 1 - half, rest = (1 - c) - half;
  const double low = (1.0 / 24 - z * (1.0 / 720)) + square * (1.0 / 40320 - z * (1.0 / 3628800));
  const double high = (1.0 / 479001600 - z * (1.0 / 87178291200)) + square * (1.0 / 20922789888000);
  return c + (rest + (square * (low + square * square * high) - hi * lo));
}

constexpr double eighth = 0.78539816339744828;

// atan(j / 16) = hi + lo.
constexpr std::array<Twofold, 17> sixteenths_angles() {
  std::array<Twofold, 17> table{};
  for (int j = 0; j < 16; ++j) {
    const Twofold t = divide({1.0 / 16, 0}, 1 + j * (j + 1) / 256.0), square = multiply(t, t);
    Twofold sum = divide({1, 0}, 29);
    for (int n = 27; n >= 1; n -= 2) {
      const Twofold term = multiply(sum, square);
      sum = add({-term.hi, -term.lo}, divide({1, 0}, n));
    }
    table[static_cast<std::size_t>(j) + 1] = add(table[static_cast<std::size_t>(j)], multiply(t, sum));
  }
  return table;
}

constexpr std::array<Twofold, 17> sixteenths = sixteenths_angles();

// Whose x and y are scaled so that no square or product matters that over- or underflows.
double scaling(double largest) { return largest > 0x1p500 ? 0x1p-600 : largest < 0x1p-400 ? 0x1p600 : 1; }

}  // namespace

double sin(double x) {
  const double size = std::fabs(x);
  if (size < eighth) return size < 0x1p-27 ? x : sine(x, 0);
  if (!(size < infinity)) return x - x;
  const Reduced at = reduce(x);
  const double value = at.quadrant & 1 ? cosine(at.hi, at.lo) : sine(at.hi, at.lo);
  return at.quadrant & 2 ? -value : value;
}

double cos(double x) {
  const double size = std::fabs(x);
  if (size < eighth) return cosine(x, 0);
  if (!(size < infinity)) return x - x;
  const Reduced at = reduce(x);
  const double value = at.quadrant & 1 ? sine(at.hi, at.lo) : cosine(at.hi, at.lo);
  return (at.quadrant + 1) & 2 ? -value : value;
}

Turn turn(double x) {
  const double size = std::fabs(x);
  if (size < eighth || !(size < infinity)) return {cos(x), sin(x)};
  const Reduced at = reduce(x);
  const double c = cosine(at.hi, at.lo), s = sine(at.hi, at.lo);
  const bool is_odd = at.quadrant & 1;
  return {(at.quadrant + 1) & 2 ? -(is_odd ? s : c)
          : is_odd              ? s
                                : c,
          at.quadrant & 2 ? -(is_odd ? c : s)
          : is_odd        ? c
                          : s};
}

double hypot(double x, double y) {
  const double a = std::fabs(x), b = std::fabs(y), largest = std::max(a, b);
  if (a == infinity || b == infinity) return infinity;
  const double scale = scaling(largest), p = a * scale, q = b * scale;
  return std::sqrt(p * p + q * q) / scale;
}

// With t = small / large and c = j / 16 next to it, atan t = atan c + atan((small - c large) / (large + c small)). The
// difference is exact (Sterbenz), and what is added to atan c is below 1/32, so that each rounding of it is at most
// 1/64. The worst case is j = 1, t just above 1/32, where the result is no larger than that: c large and c small are
// exact; the denominator is off by 1, the quotient, the series and the sum with the low part of atan c by 1/2 each,
// relative to the result, and the last sum by 1: in all 3.5. From j = 2 on c large is off by c, which is 1.4 of the
// result at most, the others by a third of what they are at j = 1 at most, and the last sum by 1: below 3.3. For j = 0
// the quotient is off by 1, its series by 1.1.
double atan2(double y, double x) {
  if (std::isnan(x) || std::isnan(y)) return x + y;
  double a = std::fabs(x), b = std::fabs(y);
  if (a == infinity || b == infinity) a = a == infinity, b = b == infinity;
  const double scale = scaling(std::max(a, b)), large = std::max(a, b) * scale, small = std::min(a, b) * scale;
  const auto j = large > 0 ? static_cast<std::size_t>(small / large * 16 + 0.5) : 0;
  const double c = static_cast<double>(j) / 16;
  const double r = large > 0 ? (small - c * large) / (large + c * small) : 0, z = r * r;
  const Twofold& at = sixteenths[j];
  const double rest = at.lo + (r - r * z * (1.0 / 3 - z * (1.0 / 5 - z * (1.0 / 7 - z * (1.0 / 9 - z * (1.0 / 11))))));
  // The angle is `quarters` right angles plus or minus `rest`.
  const bool is_left = std::signbit(x), is_steep = b > a;
  const double sign = is_left != is_steep ? -1 : 1, quarters = is_steep ? 1 : is_left ? 2 : 0;
  const auto [sum, error] = two_sum(quarters * half_pi.hi, sign * at.hi);
  return std::copysign(sum + (error + (quarters * half_pi.lo + sign * rest)), y);
}

}  // namespace hockeystick::math
