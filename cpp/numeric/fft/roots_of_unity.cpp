// SPDX-License-Identifier: Apache-2.0
#include "numeric/fft/roots_of_unity.hpp"

#include <utility>

#include "numeric/twofold.hpp"

namespace hockeystick {
namespace {

// cos(x) - 1 = -(x^2/2) (1 - x^2/(3*4) (1 - x^2/(5*6) ..)) and sin(x) likewise, 0 <= x <= pi/4, by Horner's rule.
// Twelve factors: the first term dropped is below (pi/4)^26 / 26! < 2^-97. Each level damps the earlier errors by x^2/6
// <= 0.11, so that all errors add up to less than 2^-90.
struct SineCosine {
  Twofold sin, cos_minus_one;
};

SineCosine sine_cosine(Twofold x) {
  const Twofold square = multiply(x, x);
  Twofold sine{1, 0}, cosine{1, 0};
  for (int k = 12; k >= 1; --k) {
    sine = one_minus(divide(multiply(square, sine), 2.0 * k * (2.0 * k + 1)));
    if (k > 1) cosine = one_minus(divide(multiply(square, cosine), (2.0 * k - 1) * (2.0 * k)));
  }
  const Twofold half_square{square.hi / 2, square.lo / 2};
  const Twofold versine = multiply(half_square, cosine);
  return {multiply(x, sine), {-versine.hi, -versine.lo}};
}

// (pi/4) r / t.
Twofold eighth_turn(std::size_t r, std::size_t t) {
  const Twofold quarter_pi{twofold_pi.hi / 4, twofold_pi.lo / 4};
  const double whole = static_cast<double>(r);  // exact: r <= 2^43
  return divide(multiply({whole, 0}, quarter_pi), static_cast<double>(t));
}

}  // namespace

RootsOfUnity::RootsOfUnity(std::size_t order) : scale(order % 8 == 0 ? 1 : 8), octant(order * scale / 8), shift(0) {
  while ((octant >> shift) > 128) ++shift;
  const std::size_t step = std::size_t{1} << shift;
  coarse.reserve((octant >> shift) + 1);
  for (std::size_t r = 0; r <= octant; r += step) {
    const SineCosine at = sine_cosine(eighth_turn(r, octant));
    const Twofold cosine = one_minus({-at.cos_minus_one.hi, -at.cos_minus_one.lo});
    coarse.push_back({cosine.hi, cosine.lo, at.sin.hi, at.sin.lo});
  }
  fine.reserve(step);
  for (std::size_t r = 0; r < step; ++r) {
    const SineCosine at = sine_cosine(eighth_turn(r, octant));
    fine.push_back({at.cos_minus_one.hi, at.sin.hi});
  }
}

RootsOfUnity::Root RootsOfUnity::operator()(std::size_t k) const {
  const std::size_t index = k * scale, which = index / octant % 8, offset = index % octant;
  const std::size_t r = which % 2 == 0 ? offset : octant - offset;
  const Coarse& c = coarse[r >> shift];
  const Fine& d = fine[r & ((std::size_t{1} << shift) - 1)];
  double cosine = c.cos_hi + (c.cos_lo + (c.cos_hi * d.cos_minus_one - c.sin_hi * d.sin));
  double sine = c.sin_hi + (c.sin_lo + (c.cos_hi * d.sin + c.sin_hi * d.cos_minus_one));
  if (which == 1 || which == 2 || which == 5 || which == 6) std::swap(cosine, sine);
  if (which >= 2 && which < 6) cosine = -cosine;
  if (which >= 4) sine = -sine;
  return {cosine, -sine};
}

}  // namespace hockeystick
