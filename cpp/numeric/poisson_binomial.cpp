// SPDX-License-Identifier: Apache-2.0
#include "numeric/poisson_binomial.hpp"

#include <cmath>
#include <cstddef>

#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

constexpr int apart = 256;  // powers of two between two terms, of which the smaller does not count
constexpr double least = 1e-290;

// value 2^exponent, value.hi in [0.5, 1) or 0: probabilities far below the smallest double keep their digits.
struct Scaled {
  Twofold value{0, 0};
  int exponent = 0;
};

Scaled normalized(Twofold x, int exponent) {
  if (!(x.hi > 0)) return {};
  int shift;
  (void)std::frexp(x.hi, &shift);
  return {{std::ldexp(x.hi, -shift), std::ldexp(x.lo, -shift)}, exponent + shift};
}

Scaled times(const Scaled& a, const Scaled& b) {
  return normalized(multiply(a.value, b.value), a.exponent + b.exponent);
}

Scaled plus(const Scaled& a, const Scaled& b) {
  if (!(a.value.hi > 0)) return b;
  if (!(b.value.hi > 0)) return a;
  if (a.exponent < b.exponent) return plus(b, a);
  const int shift = b.exponent - a.exponent;
  if (shift < -apart) return a;
  return normalized(add(a.value, {std::ldexp(b.value.hi, shift), std::ldexp(b.value.lo, shift)}), a.exponent);
}

}  // namespace

// Each coin takes two products and a sum, each within 2^-98, and 1 - q, which is exact in two doubles, so that after
// 1e4 coins a probability is within 2^-82 of itself; rounding it to a double adds u.
HeadsLaw heads_law(std::span<const double> probabilities) {
  std::vector<Scaled> masses{{{0.5, 0}, 1}};
  for (const double q : probabilities) {
    const Scaled heads = normalized({q, 0}, 0), tails = normalized(one_minus({q, 0}), 0);
    masses.emplace_back();
    for (std::size_t j = masses.size(); j-- > 0;) {
      const Scaled more = j > 0 ? times(masses[j - 1], heads) : Scaled{};
      masses[j] = plus(times(masses[j], tails), more);
    }
  }
  HeadsLaw law;
  for (const Scaled& mass : masses) {
    const double value = mass.exponent < -1000 ? 0 : std::ldexp(mass.value.hi + mass.value.lo, mass.exponent);
    if (mass.value.hi > 0 && value < least) law.cut += least;  // proof: group-weights
    law.masses.push_back(value < least ? 0 : value);
  }
  return law;
}

}  // namespace hockeystick
