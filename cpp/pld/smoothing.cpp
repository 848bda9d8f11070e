// SPDX-License-Identifier: Apache-2.0
#include "pld/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

// With v the variance, E e^(z eta) = e^(v z^2 / 2), and m = v / 2.
Smoothing::Smoothing(Side side, double deviation) : side_(side), variance_(deviation * deviation) {}

double Smoothing::raised(double tilt) const { return math::expm1(variance_ * (tilt + 0.5)); }

Smoothing::Line::Line(const Smoothing& smoothing, double tilt)
    : side_(smoothing.side_),
      variance_(smoothing.variance_),
      tilt_(tilt),
      raised_(side_ == Side::lower ? smoothing.raised(tilt) : 0) {}

// Exponents are off by 4 u of their terms, angles by 3 u, functions of either by 4 u. For the lower factor
// e^x - 1, x = a + i b, is r - 2 s^2 (1 + r) + 2 i s c (1 + r), r = e^a - 1, s and c the sine and cosine of b / 2, so
// that each term is off by few u of itself.
Smoothing::Factor Smoothing::Line::at(double frequency) const {
  if (side_ == Side::none) return {1.0, 0};
  const double c = tilt_, w = frequency, v = variance_;
  const bool above = side_ == Side::upper;
  const double angle = v * w * (above ? c + 0.5 : c);
  const double grown = math::exp(v / 2 * (c * (above ? c + 1 : c) - w * w));  // proof: smoothing
  const auto [cosine, sine] = math::turn(angle);
  const std::complex<double> gauss{grown * cosine, grown * sine};
  const double off = u * (2 * v * (c * (c + 1) + w * w) + 3 * std::fabs(angle) + 16);  // proof: smoothing-rounding
  if (above) return {gauss, grown * off + 1e-305};
  // (1 + z) E e^(z eta) - z E e^((z + 1) eta) = e^(v z^2 / 2) (1 - z (e^x - 1)), x = v (z + 1 / 2).
  const double b = v * w, twice = 2 * (1 + raised_);
  const auto [half_cosine, half_sine] = math::turn(b / 2);
  // proof: smoothing-rounding
  const std::complex<double> raised{raised_ - twice * (half_sine * half_sine), twice * (half_sine * half_cosine)};
  const std::complex<double> z{c, w}, rest = 1.0 - product_of(z, raised);
  const double most = grown * (1 + modulus_above(z) * lifted(raised_, b));
  // proof: smoothing-rounding
  const double rounded = u * (4 * v * (c + 0.5) + std::fabs(b) + 24);
  return {product_of(gauss, rest), most * (off + rounded) + 1e-305};  // proof: smoothing
}

// Upper bound of |e^x - 1|, x = a + i b, and of each of its terms; `raised` = e^a - 1.
double Smoothing::lifted(double raised, double b) { return raised + 2 * (1 + raised) * std::min(1.0, std::fabs(b)); }

// w^k e^(-v w^2 / 2), k <= 2, decreases from sqrt(2 / v) on; below that the power is bounded by its value there.
double Smoothing::bound(double tilt, double frequency) const {
  if (side_ == Side::none) return 1;
  const bool above = side_ == Side::upper;
  const double grown = math::exp(variance_ / 2 * (tilt * (above ? tilt + 1 : tilt) - frequency * frequency));
  const double steepest = std::max(frequency, std::sqrt(2 / variance_));  // proof: smoothing-tail
  const double lower =
      above ? 1 : 1 + (steepest + tilt) * lifted(raised(tilt), variance_ * steepest);  // proof: smoothing-tail
  return 1.01 * grown * lower + 1e-300;  // covers underflow; proof: smoothing-tail
}

double Smoothing::order(double frequency) const {
  const double fall = variance_ * frequency * frequency;
  return side_ == Side::none ? 0 : side_ == Side::upper ? fall : std::max(0.0, fall - 2);
}

}  // namespace hockeystick
