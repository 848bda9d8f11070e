// SPDX-License-Identifier: Apache-2.0
#include "methods/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

// With v the variance, E e^(z eta) = e^(v z^2 / 2), and m = v / 2.
Smoothing::Smoothing(Side side, double deviation) : side_(side), variance_(deviation * deviation) {}

// Exponents are off by 4 u of what they are the sum of, angles by 3 u, functions of either by 4 u. The real part of
// e^x - 1 for x = a + i b is taken as expm1(a) cos b - 2 sin(b / 2)^2, so that each term is off by u of itself.
Smoothing::Factor Smoothing::at(std::complex<double> z) const {
  if (side_ == Side::none) return {1.0, 0};
  const double c = z.real(), w = z.imag(), v = variance_;
  const bool above = side_ == Side::upper;
  const double angle = v * w * (above ? c + 0.5 : c);
  const double grown = math::exp(v / 2 * (c * (above ? c + 1 : c) - w * w));  // proof: smoothing
  const std::complex<double> gauss{grown * math::cos(angle), grown * math::sin(angle)};
  const double off = u * (2 * v * (c * (c + 1) + w * w) + 3 * std::fabs(angle) + 16);  // proof: smoothing-rounding
  if (above) return {gauss, grown * off + 1e-305};
  // (1 + z) E e^(z eta) - z E e^((z + 1) eta) = e^(v z^2 / 2) (1 - z (e^x - 1)), x = v (z + 1 / 2).
  const double a = v * (c + 0.5), b = v * w, half = math::sin(b / 2);
  const double raised = math::expm1(a), real = raised * math::cos(b) - 2 * half * half;
  // proof: smoothing-rounding
  const std::complex<double> rest = 1.0 - product_of(z, {real, (1 + raised) * math::sin(b)});
  const double most = grown * (1 + absolute(z) * lifted(c, w));
  // proof: smoothing-rounding
  return {product_of(gauss, rest), most * (off + u * (4 * a + std::fabs(b) + 24)) + 1e-305};  // proof: smoothing
}

// At least |e^x - 1| for x = v (tilt + 1 / 2 + i w), and at least each of the terms that it is the sum of.
double Smoothing::lifted(double tilt, double frequency) const {
  const double grown = math::expm1(variance_ * (tilt + 0.5));
  return grown + 2 * (1 + grown) * std::min(1.0, variance_ * std::fabs(frequency));
}

// w^k e^(-v w^2 / 2), k <= 2, falls from sqrt(2 / v) on; up to there only the power grows.
double Smoothing::bound(double tilt, double frequency) const {
  if (side_ == Side::none) return 1;
  const bool above = side_ == Side::upper;
  const double grown = math::exp(variance_ / 2 * (tilt * (above ? tilt + 1 : tilt) - frequency * frequency));
  const double steepest = std::max(frequency, std::sqrt(2 / variance_));            // proof: smoothing-tail
  const double lower = above ? 1 : 1 + (steepest + tilt) * lifted(tilt, steepest);  // proof: smoothing-tail
  return 1.01 * grown * lower + 1e-300;  // what underflows: proof: smoothing-tail
}

double Smoothing::order(double frequency) const {
  const double fall = variance_ * frequency * frequency;
  return side_ == Side::none ? 0 : side_ == Side::upper ? fall : std::max(0.0, fall - 2);
}

}  // namespace hockeystick
