// SPDX-License-Identifier: Apache-2.0
// Double-double arithmetic, also while compiling.
#pragma once

#include "numeric/sum.hpp"

namespace hockeystick {

/// The number hi + lo, |lo| <= ulp(hi) / 2. Each operation has relative error below 2^-98 (Joldes, Muller & Popescu
/// 2017: at most 10 u^2) where nothing cancels; products stay above 2^-300 or are exactly 0.
struct Twofold {
  double hi, lo;
};

constexpr Twofold normalize(double hi, double lo) {
  const TwoParts s = two_sum(hi, lo);
  return {s.value, s.error};
}

constexpr Twofold add(Twofold a, Twofold b) {
  const TwoParts s = two_sum(a.hi, b.hi);
  return normalize(s.value, s.error + (a.lo + b.lo));
}

constexpr Twofold multiply(Twofold a, Twofold b) {
  const TwoParts p = two_product(a.hi, b.hi);
  return normalize(p.value, p.error + (a.hi * b.lo + a.lo * b.hi));
}

constexpr Twofold divide(Twofold a, double b) {
  const double q = a.hi / b;
  return normalize(q, (exact_remainder(a.hi, q, b) + a.lo) / b);
}

/// 1 - a.
constexpr Twofold one_minus(Twofold a) {
  const TwoParts s = two_sum(1.0, -a.hi);
  return normalize(s.value, s.error - a.lo);
}

/// log 2 and pi, off by less than 2^-108 and 2^-106.
inline constexpr Twofold twofold_log_two{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr Twofold twofold_pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};

/// x rounded to a multiple of 2^exponent; the rest in lo.
constexpr Twofold rounded_to(Twofold x, int exponent) {
  double magic = 1.5;
  for (int k = 0; k < 52 + exponent; ++k) magic *= 2;
  for (int k = 0; k > 52 + exponent; --k) magic /= 2;
  const double high = (x.hi + magic) - magic;
  return {high, (x.hi - high) + x.lo};
}

}  // namespace hockeystick
