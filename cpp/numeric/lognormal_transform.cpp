// SPDX-License-Identifier: Apache-2.0
#include "numeric/lognormal_transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double tail_deviations = 9.5;  // phi(9.5) < 1e-20

// x truncated to 20 bits, at most x.
double few_bits(double x) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::floor(mantissa * 0x1p20), exponent - 20);
}

// Upper bound of the integral of phi over (x, inf) and of d phi(x), x >= 1.
double normal_tail_above(double x, double d) { return std::exp(-x * x / 2) * (0.4 / x + 0.4 * d) * (1 + 1e-12); }

// 1 / k!, k from 2.
constexpr int terms = 19;
constexpr auto inverse_factorials = [] {
  std::array<double, terms> result{};
  double factorial = 1;
  for (int k = 0; k < terms; ++k) result[static_cast<std::size_t>(k)] = 1 / (factorial *= k + 2);
  return result;
}();

}  // namespace

// |F| is at most `by_size` with |Y| in place of 1, and at most `by_square` / 2 times (|Y| + 1)^2.
double LognormalTransform::Line::left_out(double by_size, double by_square, double second) const {
  return strip * std::min(by_size, by_square * second) + left * std::min(by_size, 2 * by_square) +
         right * std::min(by_size, by_square / 2);
}

// The line x = v - i `centre` in a strip of this half width, and its errors.
LognormalTransform::Nodes LognormalTransform::nodes_of(double half_width, double centre, Line& line) const {
  const double edge = centre + half_width, pi = std::numbers::pi;
  const double d = few_bits(2 * pi * half_width / (46 + edge * edge / 2));
  const auto lowest = -static_cast<int>(std::ceil(tail_deviations / d));
  const auto highest = static_cast<int>(std::ceil((tail_deviations + 2 * mu_) / d));
  const double on_line = std::exp(centre * centre / 2) * (1 + 1e-12);
  const double from = (1 - lowest) * d, beyond = (highest + 1) * d;
  // proof: lognormal-transform
  line.strip = 2 * std::exp(edge * edge / 2) / std::expm1(2 * pi * half_width / d) * (1 + 1e-12);
  // proof: lognormal-transform
  line.left = on_line * normal_tail_above(from, d);
  // proof: lognormal-transform
  line.right = on_line * ((variance_ + 1) * normal_tail_above(beyond - 2 * mu_, d) +
                          2 * normal_tail_above(beyond - mu_, d) + normal_tail_above(beyond, d));
  return {d, lowest, highest};
}

LognormalTransform::LognormalTransform(double mu) : mu_(mu) {
  variance_ = std::expm1(mu * mu) * (1 + 16 * u * (1 + mu * mu));
  second_ = (variance_ + 4) / 2;  // E (|Y| + 1)^2 / 2 = (e^(mu^2) + 3) / 2
  const double y0 = few_bits(std::min(std::numbers::pi / 4 / mu * (1 - 1e-9), 1.0));
  const Nodes turned = nodes_of(y0, y0, rotated_);
  const Nodes straight = nodes_of(2 * y0, 0, real_);
  const double angle = -mu * y0, half_sine = std::sin(angle / 2), cosine = std::cos(angle), sine = std::sin(angle);
  // v, v y0 and y0^2 are exact; a = mu v - mu^2 / 2 is one in two doubles.
  const auto weight = [&](const Nodes& nodes, int k, double shift) {
    const double v = k * nodes.step;
    const auto [square, rest] = two_product(v, v);
    return nodes.step / std::sqrt(2 * std::numbers::pi) * std::exp((shift * shift - square) / 2) * (1 - rest / 2);
  };
  const auto grown = [&](double v) {  // e^a and e^a - 1
    const auto [product, product_rest] = two_product(mu, v);
    const auto [half, half_rest] = two_product(mu / 2, mu);
    const auto [a, a_rest] = two_sum(product, -half);
    const double rest = a_rest + (product_rest - half_rest), e = std::exp(a);
    return std::pair(e * (1 + rest), std::expm1(a) + e * rest);
  };
  for (int k = turned.lowest; k <= turned.highest; ++k) {
    const double v = k * turned.step, size = weight(turned, k, y0);
    const auto [e, less_one] = grown(v);
    weight_size_.push_back(size);
    weight_re_.push_back(size * std::cos(v * y0));
    weight_im_.push_back(size * std::sin(v * y0));
    y_re_.push_back(less_one * cosine - 2 * half_sine * half_sine);
    y_im_.push_back(e * sine);
  }
  for (int k = straight.lowest; k <= straight.highest; ++k) {
    weight_.push_back(weight(straight, k, 0));
    y_.push_back(grown(k * straight.step).second);
  }
}

// Rounding. A weight is off by 12 u of its size (the exponent is exact except for (y0^2 - v^2) / 2, rounded to 60 u of
// a size below 48, which the next line counts). Y - 1 is off by 32 u of itself: |Y - 1| is at least |e^a - 1| and 2
// e^(a/2) |sin(angle / 2)|, and each part is within 8 u of a sum of such terms. z = s (Y - 1) is off by 40 u of itself,
// which enters F times F'(z) = 1 - e^-z. F itself: below 1 by its series, to 10 u |z|^2; elsewhere each term to 24 u
// |z| (1 + |e^-z|). Sums are compensated.
ComplexBall LognormalTransform::centred(std::complex<double> s) const {
  const double sr = s.real(), si = s.imag();
  CompensatedSum re, im;
  double error = 0;
  for (std::size_t k = 0; k < weight_re_.size(); ++k) {
    const double zr = sr * y_re_[k] - si * y_im_[k], zi = sr * y_im_[k] + si * y_re_[k];
    const double square = zr * zr + zi * zi, wr = weight_re_[k], wi = weight_im_[k];
    double fr, fi, off;
    if (square < 1) {
      double ar = inverse_factorials.back(), ai = 0;
      for (std::size_t j = terms - 1; j-- > 0;) {
        const double next = inverse_factorials[j] - (ar * zr - ai * zi);
        ai = -(ar * zi + ai * zr);
        ar = next;
      }
      const double qr = zr * zr - zi * zi, qi = 2 * zr * zi;
      fr = ar * qr - ai * qi;
      fi = ar * qi + ai * qr;
      off = 80 * square;
    } else {
      const double e = std::exp(-zr), half = std::sin(zi / 2);
      fr = std::expm1(-zr) - 2 * e * half * half + zr;
      fi = zi - e * std::sin(zi);
      off = 64 * std::sqrt(square) * (1 + e);
    }
    re.add(fr * wr - fi * wi);
    im.add(fr * wi + fi * wr);
    // proof: lognormal-transform
    error += weight_size_[k] * (off + 120 * (std::fabs(fr) + std::fabs(fi)));
  }
  const double r = std::abs(s), e = std::exp(sr);
  const double rounding = u * error * (1 + 1e-9) + re.error_bound() + im.error_bound() + 1e-300;
  return {{re.value(), im.value()}, (rounding + rotated_.left_out(e + 1 + 2 * r, e * r * r, second_)) * (1 + 1e-12)};
}

// Sums of positive terms: of e^(-c Y), each within 200 u of itself and 16 u of its weight, as e^-x x <= 1 / e; or, for
// small c, of F, each within 200 u of itself.
double LognormalTransform::log_moment_above(double c) const {
  double sum = 0;
  if (c > 1) {
    for (std::size_t k = 0; k < y_.size(); ++k) sum += weight_[k] * std::exp(-c * (y_[k] + 1));
    // proof: lognormal-transform
    sum = sum * (1 + (500 + static_cast<double>(y_.size())) * u) + real_.strip + real_.left + real_.right + 40 * u;
    return c + std::log(sum) + 8 * u * (c + 50);
  }
  for (std::size_t k = 0; k < y_.size(); ++k) {
    const double z = c * y_[k];
    double f;
    if (std::fabs(z) < 1) {
      f = inverse_factorials.back();
      for (std::size_t j = terms - 1; j-- > 0;) f = inverse_factorials[j] - f * z;
      f *= z * z;
    } else {
      f = std::expm1(-z) + z;
    }
    sum += weight_[k] * f;
  }
  const double e = std::exp(c);
  sum = sum * (1 + (500 + static_cast<double>(y_.size())) * u);
  return std::log1p(sum + real_.left_out(e + 1 + 2 * c, e * c * c, second_)) * (1 + 8 * u);
}

}  // namespace hockeystick
