// SPDX-License-Identifier: Apache-2.0
#include "methods/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr int uniforms = 6;

double power(double x) { return x * x * x * x * x * x; }

std::complex<double> power(std::complex<double> x) {
  const std::complex<double> square = x * x;
  return square * square * square;
}

// |E e^(z eta)| is at most this: |sinh(r z)| <= cosh(r Re z) min(1, |r z|).
double transform_bound(double radius, double tilt, double size) {
  return power(math::cosh(radius * tilt) * std::min(1.0, 1 / (radius * size)));
}

}  // namespace

Smoothing::Smoothing(Side side, double radius) : side_(side), radius_(radius) {
  // E e^-eta = (sinh r / r)^6; a shift a little too high only moves the upper curve up.
  // proof: smoothing
  if (side == Side::upper) shift_ = uniforms * math::log(math::sinh(radius) / radius) * (1 + 128 * u) + 128 * u;
}

Smoothing::Factor Smoothing::at(std::complex<double> z) const {
  if (side_ == Side::none) return {1.0, 0};
  const auto transform = [&](std::complex<double> at) {
    const double x = radius_ * at.real(), y = radius_ * at.imag();
    // proof: smoothing-rounding
    const std::complex<double> sinh{math::sinh(x) * math::cos(y), math::cosh(x) * math::sin(y)};
    return power(quotient(sinh, radius_ * at));
  };
  // A sine of y is off by u |y| and 4 u, a hyperbolic one of x by u |x| and 8 u; six factors; their bound counts, not
  // their size. The shift is at most 6 r, so that what it turns and grows by is off by as much again.
  // proof: smoothing-rounding
  const double size = absolute(z), angle = 6 * u * (radius_ * (std::fabs(z.imag()) + z.real() + 1) + 40);
  if (side_ == Side::upper) {
    const std::complex<double> turn{math::cos(shift_ * z.imag()), math::sin(shift_ * z.imag())};
    const double grown = math::exp(shift_ * z.real());
    return {grown * turn * transform(z), 2 * angle * grown * transform_bound(radius_, z.real(), size)};
  }
  const double most = (1 + 2 * size) * transform_bound(radius_, z.real() + 1, size);
  return {(1.0 + z) * transform(z) - z * transform(z + 1.0), 2 * angle * most};  // proof: smoothing
}

// Above 1 / r the factor falls, by |r w|^-6 times the 1 + 2 |z| of tangents; up to there only these grow.
double Smoothing::bound(double tilt, double frequency) const {
  if (side_ == Side::none) return 1;
  const double steepest = std::max(frequency, 1 / radius_);  // proof: smoothing-tail
  // proof: smoothing-tail
  const double grown = side_ == Side::upper ? math::exp(shift_ * tilt) : 1 + 2 * (steepest + tilt);
  return 1.01 * grown * transform_bound(radius_, tilt + 1, frequency);  // proof: smoothing-tail
}

double Smoothing::order(double frequency) const {
  if (side_ == Side::none || radius_ * frequency < 1) return 0;
  return side_ == Side::upper ? uniforms : uniforms - 1;
}

}  // namespace hockeystick
