// SPDX-License-Identifier: Apache-2.0
#include "numeric/lognormal_transform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double nats = 38;                           // of accuracy: rounding is e^-32 at best
constexpr double tail_deviations = 8.4;               // phi(8.4) < 2e-16
constexpr double modest_rise = 1.4, most_raised = 3;  // e^(c^2 / 2) multiplies all errors

// Upper bound of the integral of phi over (x, inf) and of d phi(x), x >= 1.
double normal_tail_above(double x, double d) { return math::exp(-x * x / 2) * (0.4 / x + 0.4 * d) * (1 + 1e-12); }

// log E e^(-c (Y - 1)) from above where the nodes leave too much: e^x is above its tangents, so Y >= a / c (1 + w + mu
// x) with a = c e^(-w - mu^2 / 2), for every w, and E e^(-c Y) <= e^(-a (1 + w) + (a mu)^2 / 2). Least near a mu^2 = w,
// and there larger by about (1 + w)^(1/2).
double tangent_bound(double mu, double c) {
  const double z = c * mu * mu * math::exp(-mu * mu / 2);
  double w = math::log1p(z);
  for (int i = 0; i < 3; ++i) w -= (w - z * math::exp(-w)) / (1 + w);
  const double a = c * math::exp(-w - mu * mu / 2), line = a * (1 + w), square = a * mu * a * mu / 2;
  return c - line + square + 32 * u * (c + line * (1 + w + mu * mu) + square);  // proof: lognormal-transform
}

}  // namespace

// |F| is at most `by_size` with |Y| in place of 1, and at most `by_square` / 2 times |Y - 1|^2.
double LognormalTransform::Line::left_out(double by_size, double by_square) const {
  return std::min(strip * by_size, strip_square * by_square) + std::min(left * by_size, left_square * by_square) +
         std::min(right * by_size, right_square * by_square);
}

// A weight is off by 12 u of its size: exponents are exact in two doubles. Y - 1 is off by 20 u of itself for angles of
// at most pi / 2: |Y - 1|^2 = (e^a - 1)^2 + 4 e^a sin(angle / 2)^2, and 2 sin(angle / 2)^2 <= |Y - 1|, so that the real
// part is off by 13 u |e^a - 1| |cos angle| + 13 u tan(angle / 2) |Y - 1|, and the imaginary one by 12 u of itself.
void LognormalTransform::place(Line& line) const {
  const double least = (line.to - pi / 2) / mu_ + 1e-9 / mu_, most = (line.from + pi / 2) / mu_ - 1e-9 / mu_;
  double centre = 0, half_width = 0, cost = infinity;
  constexpr int tried = 24;
  for (int i = 1; i <= tried; ++i) {
    const double b = std::min((most - least) / 2, 9.0) * i / tried,
                 c = with_bits(std::max(0.0, least + b) * (1 + 1e-5), 20);
    const double within = std::min({b, c - least, most - c}), edge = c + within;
    const double needed = (nats + edge * edge / 2) / within * math::exp(std::max(0.0, 2 * (c - modest_rise)));
    if (!(within > 0 && c < most_raised && c * mu_ <= pi / 2 && needed < cost)) continue;
    centre = c, half_width = within, cost = needed;
  }
  if (!(half_width > 0)) return;
  const double edge = centre + half_width;
  const double d = with_bits(2 * pi * half_width / (nats + edge * edge / 2), 20);
  const double farthest = std::sqrt(tail_deviations * tail_deviations + centre * centre);
  const auto lowest = -static_cast<int>(std::ceil(farthest / d));
  const auto highest = static_cast<int>(std::ceil((farthest + 2 * mu_) / d));
  line.centre = centre, line.half_width = half_width, line.step = d, line.lowest = lowest;
  const double on_line = math::exp(centre * centre / 2) * (1 + 1e-12);
  const double from = (1 - lowest) * d, beyond = (highest + 1) * d;
  // proof: lognormal-transform
  line.strip = 2 * math::exp(edge * edge / 2) / math::expm1(2 * pi * half_width / d) * (1 + 1e-12);
  // proof: lognormal-transform
  line.left = on_line * normal_tail_above(from, d);
  // proof: lognormal-transform
  line.right = on_line * ((variance_ + 1) * normal_tail_above(beyond - 2 * mu_, d) +
                          2 * normal_tail_above(beyond - mu_, d) + normal_tail_above(beyond, d));
  // E |Y - 1|^2 = e^(mu^2) + 1 - 2 cos(mu y). To the left |Y - 1| is at most 2 and mu (|v| + mu / 2 + c), to the right
  // e^a mu (v + c); a square of v + c under the tail is at most 1.1 times that at its start.
  const double half_sine_at_edge = math::sin(std::min(mu_ * edge, pi) / 2);
  line.strip_square = line.strip * (variance_ / 2 + 2 * half_sine_at_edge * half_sine_at_edge) * (1 + 1e-12);
  const double to_left = mu_ * (from + mu_ / 2 + centre), to_right = mu_ * (beyond + centre);
  line.left_square = line.left * std::min(2.0, 0.56 * to_left * to_left);
  line.right_square = on_line * (variance_ + 1) * 0.56 * to_right * to_right * normal_tail_above(beyond - 2 * mu_, d);
  // v, v c and c^2 are exact; (c^2 - v^2) / 2 and a = mu v - mu^2 / 2 are one in two doubles.
  const auto count = static_cast<std::size_t>(highest - lowest + 1), whole = (count + 7) / 8 * 8;
  std::vector<double> exponent(count), exponent_rest(count), a_rest(count);
  line.y_re.resize(count), line.y_im.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double v = (lowest + static_cast<int>(k)) * d;
    const auto [square, square_rest] = two_product(v, v);
    const auto [apart, apart_rest] = two_sum(centre * centre, -square);
    exponent[k] = apart / 2, exponent_rest[k] = (apart_rest - square_rest) / 2;
    const auto [product, product_rest] = two_product(mu_, v);
    const auto [half, half_rest] = two_product(mu_ / 2, mu_);
    const auto [a, rest] = two_sum(product, -half);
    line.y_re[k] = line.y_im[k] = a, a_rest[k] = rest + (product_rest - half_rest);
  }
  exponentials(exponent);
  exponentials(line.y_im);
  exponentials_less_1(line.y_re);
  for (auto* part : {&line.weight_re, &line.weight_im, &line.size, &line.y_re, &line.y_im}) part->resize(whole);
  const double angle = -mu_ * centre, half_sine = math::sin(angle / 2), cosine = math::cos(angle),
               sine = math::sin(angle);
  for (std::size_t k = 0; k < count; ++k) {
    const double turn = (lowest + static_cast<int>(k)) * d * centre, e = line.y_im[k];
    line.size[k] = d / std::sqrt(2 * pi) * exponent[k] * (1 + exponent_rest[k]);
    line.weight_re[k] = line.size[k] * math::cos(turn);
    line.weight_im[k] = line.size[k] * math::sin(turn);
    line.y_re[k] = (line.y_re[k] + e * a_rest[k]) * cosine - 2 * half_sine * half_sine;
    line.y_im[k] = e * (1 + a_rest[k]) * sine;
    line.y.push_back(e * (1 + a_rest[k]));
  }
}

LognormalTransform::LognormalTransform(double mu, const SimdKernels& kernel) : kernel_(kernel), mu_(mu) {
  variance_ = math::expm1(mu * mu) * (1 + 16 * u * (1 + mu * mu));
  constexpr std::array<double, 6> angles{0, 0, pi / 4, pi / 2, 5 * pi / 8, 3 * pi / 4};
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].from = angles[i], lines_[i].to = angles[i + 1];
    place(lines_[i]);
  }
}

// Null where there is none.
const LognormalTransform::Line* LognormalTransform::line_of(std::complex<double> s) const {
  const double x = s.real(), y = s.imag();
  const std::size_t sector = y <= 0 ? 0 : y <= x ? 1 : x >= 0 ? 2 : -x <= y * 0.41421 ? 3 : 4;
  const Line& line = lines_[sector];
  return line.size.empty() || !(y >= 0 && -x <= y && x <= 600) ? nullptr : &line;
}

ComplexBall LognormalTransform::centred(std::complex<double> s) const {
  const Line* line = line_of(s);
  if (!line) return {0, infinity};
  double sums[3];
  kernel_.lognormal_sums(line->view(), s.real(), s.imag(), sums, 3);
  const double r = absolute(s), e = math::exp(std::max(0.0, s.real()));
  const double left_out = line->left_out(e + 1 + 2 * r, e * r * r);
  const double off = u * sums[2] + left_out + 1e-300;  // proof: lognormal-transform
  return {{sums[0], sums[1]}, off * (1 + 1e-9)};
}

// G' = E (Y - 1) (1 - e^-z), of a modulus of at most e^r |s| (|Y| + 1)^2 and of (1 + e^r) (|Y| + 1).
LognormalTransform::WithSlope LognormalTransform::with_slope(std::complex<double> s) const {
  const Line* line = line_of(s);
  if (!line) return {{0, infinity}, {0, infinity}};
  double sums[6];
  kernel_.lognormal_sums(line->view(), s.real(), s.imag(), sums, 6);
  const double r = absolute(s), e = math::exp(std::max(0.0, s.real()));
  const double value_off = u * sums[2] + line->left_out(e + 1 + 2 * r, e * r * r) + 1e-300;
  // proof: lognormal-transform
  const double slope_off = u * sums[5] + line->left_out(2 * (1 + e), 2 * e * r) + 1e-300;
  return {{{sums[0], sums[1]}, value_off * (1 + 1e-9)}, {{sums[3], sums[4]}, slope_off * (1 + 1e-9)}};
}

// Sums of positive terms on the real line: of e^(-c Y), off by 8 u of c Y, which is at most 1 / e, and of themselves;
// or, for small c, of F.
double LognormalTransform::log_moment_above(double c) const {
  const Line& line = lines_.front();
  const std::size_t count = line.y.size();
  if (c > 1) {
    double sum = 0;
    std::array<double, 64> part;
    for (std::size_t from = 0; from < count; from += part.size()) {
      const std::size_t n = std::min(part.size(), count - from);
      for (std::size_t k = 0; k < n; ++k) part[k] = std::max(-700.0, -c * line.y[from + k]);
      exponentials({part.data(), n});
      for (std::size_t k = 0; k < n; ++k) sum += line.size[from + k] * part[k];
    }
    // proof: lognormal-transform
    sum = sum * (1 + (40 + static_cast<double>(count)) * u) + line.strip + line.left + line.right + 20 * u;
    return std::min(c + math::log(sum) + 8 * u * (c + 50), tangent_bound(mu_, c));
  }
  double sums[3];
  kernel_.lognormal_sums(line.view(), c, 0, sums, 3);
  const double e = math::exp(c);
  // proof: lognormal-transform
  const double above = sums[0] + (u * sums[2] + line.left_out(e + 1 + 2 * c, e * c * c)) * (1 + 1e-9);
  return math::log1p(above) * (1 + 8 * u);
}

// That of the saddle point for a Y between its median and its mean: -mu x = W(mu^2 e^(-mu^2 / 4) s).
double LognormalTransform::steepest_angle(std::complex<double> s) const {
  const std::complex<double> z = s * (mu_ * mu_ * math::exp(-mu_ * mu_ / 4)), from = 1.0 + z;
  std::complex<double> w{math::log(absolute(from)), math::atan2(from.imag(), from.real())};
  for (int i = 0; i < 2; ++i) {
    const double grown = math::exp(w.real());
    const std::complex<double> e{grown * math::cos(w.imag()), grown * math::sin(w.imag())};
    w -= quotient(product_of(w, e) - z, product_of(e, w + 1.0));
  }
  return w.imag();
}

}  // namespace hockeystick
