// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/allocation_hyperbola.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t most_samples = 600;
constexpr double piece = 0.1;

}  // namespace

// The half u >= 0 of a hyperbola.
class AllocationHyperbola::Arm {
 public:
  Arm(double m, double alpha) : m_(m), alpha_(alpha), sine_(math::sin(alpha)), cosine_(math::cos(alpha)) {}
  Point at(double u) const;
  double m() const { return m_; }
  double alpha() const { return alpha_; }

  /// dc / du for c = Re(s e^(-i angle)).
  double slope(const Point& point, double cosine, double sine) const;

 private:
  double m_, alpha_, sine_, cosine_;
};

struct AllocationHyperbola::Point {
  double u, re, im, size;         // s and its modulus m (cosh u - sin alpha)
  double tangent_re, tangent_im;  // s'
  double stretch;                 // at least |s'| / |s|^2, as |s'| <= m cosh u; it falls with u
  double off;                     // bounds the rounding of s
};

AllocationHyperbola::Point AllocationHyperbola::Arm::at(double at) const {
  const double sh = math::sinh(at), ch = std::sqrt(1 + sh * sh);
  Point p{};
  p.u = at, p.re = m_ * (1 - sine_ * ch), p.im = m_ * cosine_ * sh, p.size = m_ * (ch - sine_);
  p.tangent_re = -m_ * sine_ * sh, p.tangent_im = m_ * cosine_ * ch;
  p.stretch = ch / (m_ * (ch - sine_) * (ch - sine_)) * (1 + 1e-12);
  p.off = u * m_ * (6 + at + (14 + at) * sh);
  return p;
}

double AllocationHyperbola::Arm::slope(const Point& point, double cosine, double sine) const {
  return point.tangent_re * cosine + point.tangent_im * sine;
}

// About the saddle's, but so that Re(s e^(-i angle)) > 0 from a to b.
double AllocationHyperbola::angle_at(const Point& a, const Point& b) const {
  const double angle = transform_.steepest_angle({a.re, a.im});
  const double least = std::max(0.0, math::atan2(b.im, b.re) - pi / 2 + 0.05);
  return angle > least ? std::min(angle, std::max(1.5, least)) : least;
}

// Upper bound of t log|1 + G(s)| between a and b. On the line x - i angle / mu, |g(s)| is at most e^(angle^2 / (2
// mu^2)) E e^(-c Y), c = Re(s e^(-i angle)) > 0, and |1 + G| = e^(Re s) |g|. Re s - c falls with u; c'' is a sinh u - b
// cosh u for some a, b >= 0, so that c is concave or grows: it is least at an end. log E e^(-c (Y - 1)) grows with c.
double AllocationHyperbola::log_power(const Arm& arm, const Point& a, const Point& b, double angle) const {
  const double mu = transform_.mu(), cosine = math::cos(angle), sine = math::sin(angle);
  const double at_a = a.re * cosine + a.im * sine, at_b = b.re * cosine + b.im * sine;
  if (!(at_a > 1e-9 * a.size && at_b > 1e-9 * b.size)) return infinity;
  const double most = angle > arm.alpha() ? at_b : at_a + std::max(0.0, arm.slope(a, cosine, sine)) * (b.u - a.u);
  const double half = math::sin(angle / 2), apart = 2 * half * half * a.re - a.im * sine;
  const double rise = angle * angle / (2 * mu * mu), size = std::fabs(a.re) + a.im + b.size + rise;
  const double moment = transform_.log_moment_above(most + 1e-12 * b.size);
  return t_ * (apart + rise + moment + 1e-14 * (size + moment));
}

// The same. On a line where Re(s Y) >= 0, |e^-z - 1 + z - z^2 / 2| <= e^r |z|^3 / 6, r = max(Re s, 0), and on every
// line E (Y - 1)^2 is the variance: G is the variance times s^2 / 2 but for E (|Y| + 1)^3 e^r |s|^3 / 6. log|1 + G| <=
// Re G + |G|^2 / 2.
double log_power_near_zero(const LognormalTransform& transform, double t, std::complex<double> a,
                           std::complex<double> b, double size) {
  const double mu = transform.mu(), variance = transform.variance(), s = size * (1 + 1e-12), re = a.real();
  const double y = (std::max(0.0, math::atan2(b.imag(), b.real()) - pi / 2) + 1e-9) / mu;
  const double third = math::exp(3 * mu * mu) + 3 * math::exp(mu * mu) + 4;
  const double rest = third / 6 * math::exp(y * y / 2 + std::max(0.0, re)) * s * s * s;  // proof: allocation-hyperbola
  const double square = std::max(re * re, b.real() * b.real()) - a.imag() * a.imag(),
               most = variance / 2 * s * s + rest;
  // proof: allocation-hyperbola
  return t * (variance / 2 * square + rest + most * most / 2 + 1e-11 * most) * (1 + 1e-9);
}

// The same. |G'| = |E (Y - 1) (1 - e^-z)| is at most |s| e^r E |Y - 1|^2 and (1 + e^r) E |Y - 1|, on that line.
double AllocationHyperbola::log_power_sampled(const Point& a, const Point& b) const {
  const auto [g, error] = transform_.centred({a.re, a.im});
  const double turn = std::max(0.0, math::atan2(b.im, b.re) - pi / 2) + 1e-9, y = turn / transform_.mu();
  const double e = math::exp(std::max(0.0, a.re)), half = math::sin(turn / 2);
  const double square = transform_.variance() + 4 * half * half;
  const double steepest =
      math::exp(y * y / 2) * std::min(b.size * e * square, (1 + e) * std::min(2.0, std::sqrt(square)));
  const double path = math::hypot(b.tangent_re, b.tangent_im) * (b.u - a.u);
  const double grown = (path + a.off) * steepest + error, most = absolute(1.0 + g) + grown;
  const double gr = g.real(), gi = g.imag(),
               log_size = absolute(g) < 0.5
                              ? 0.5 * math::log1p(2 * gr + gr * gr + gi * gi) + grown / (absolute(1.0 + g))
                              : math::log(most);
  return t_ * (log_size + 1e-14);
}

// An upper bound of |f s'| at a point, which from there on falls at least at this rate.
double AllocationHyperbola::beyond(const Arm& arm, const Point& at, double& rate) const {
  const double angle = std::max(angle_at(at, at), std::min(arm.alpha() + 0.02, 1.5));
  rate = from_ * -at.tangent_re * (1 - 1e-9);
  const double fall = from_ * at.re * (1 - 1e-12);
  return at.stretch * (math::exp(fall + log_power(arm, at, at, angle)) + math::exp(fall));
}

// Upper bound of the integral of |f s'| over the whole hyperbola, piece by piece.
double AllocationHyperbola::modulus(const Arm& arm) const {
  double sum = 0;
  Point at = arm.at(0);
  for (double next = piece;; next += piece) {
    const Point to = arm.at(next);
    const double fall = std::max(from_ * at.re, to_ * at.re) + 1e-12 * to_ * at.size;
    double power = std::min(log_power_near_zero(transform_, t_, {at.re, at.im}, {to.re, to.im}, to.size),
                            log_power(arm, at, to, angle_at(at, to)));
    if (power > 2 && power + fall > -20) power = std::min(power, log_power_sampled(at, to));
    sum += piece * at.stretch * (math::exp(fall + power) + math::exp(fall));
    if (!(sum < 1e200)) return infinity;
    at = to;
    if (fall > -20) continue;
    double rate;
    const double rest = beyond(arm, at, rate);
    if (rest < 1e-3 * sum * rate) return 2 * (sum + rest / rate) * (1 + 1e-9);
  }
}

AllocationHyperbola::AllocationHyperbola(const LognormalTransform& transform, double t, double from, double to,
                                         double accuracy)
    : transform_(transform), t_(t), from_(from), to_(to) {
  const double part = accuracy * t / 4;
  // e^(s d) multiplies rounding, which is about 300 u of the deviation of S / t.
  const double rounding = 300 * u * std::sqrt(transform.variance() / t);
  const double growth = std::clamp(math::log(accuracy / rounding), 2.0, 4.0);
  double fewest = most_samples;
  for (const double tried : {0.6, 0.4, 0.25}) {
    const double width = 0.8 * tried, scale = growth / (to * (1 - math::sin(tried)));
    // proof: allocation-hyperbola
    const std::array moduli{modulus({scale, tried - width}) / (2 * pi), modulus({scale, tried + width}) / (2 * pi)};
    const double both = moduli[0] + moduli[1];  // proof: allocation-hyperbola
    const double step = 2 * pi * width / math::log1p(both / part);
    const double end = math::acosh((1 + math::log1p(1 / (scale * part)) / (scale * from)) / math::sin(tried));
    if (!(end / step < fewest)) continue;
    fewest = end / step;
    rule_ = {scale, tried, width, step, moduli};
    // proof: allocation-hyperbola
    rule_.left_out = both / math::expm1(2 * pi * width / step * (1 - 1e-12)) * (1 + 1e-9);
  }
  built_ = rule_.step > 0 && sample({rule_.m, rule_.alpha}, rule_.step, part);
  samples_ = s_re_.size();
  for (auto* of : {&s_re_, &s_im_, &value_re_, &value_im_, &off_, &off_by_d_}) of->resize((samples_ + 7) / 8 * 8);
}

bool AllocationHyperbola::sample(const Arm& arm, double spacing, double part) {
  for (std::size_t k = 0; k < most_samples; ++k) {
    checkpoint_each<64>(k);
    const Point p = arm.at((static_cast<double>(k) + 0.5) * spacing);
    if (from_ * p.re < -8) {
      double rate;
      const double bound = beyond(arm, p, rate), rest = bound * spacing / pi / -math::expm1(-rate * spacing);
      if (rest <= part) {
        rule_.left_out += rest * (1 + 1e-9);  // proof: allocation-hyperbola
        return true;
      }
    }
    const std::complex<double> s(p.re, p.im);
    const auto [g, slope] = transform_.with_slope(s);
    const double gr = g.value.real(), gi = g.value.imag(), size = absolute(g.value);
    const double square = (1 + gr) * (1 + gr) + gi * gi, modulus = std::sqrt(square);
    const double log_size = size < 0.5 ? 0.5 * math::log1p(2 * gr + size * size) : 0.5 * math::log(square);
    const double steep = absolute(slope.value) + slope.error;
    // proof: allocation-hyperbola
    const double off = (g.error + p.off * steep) / modulus + 32 * u * std::min(size, 2.0) * (1 + 1 / square);
    const double exponent = t_ * log_size, turn = t_ * math::atan2(gi, 1 + gr),
                 angle = std::fabs(exponent) + std::fabs(turn);
    const double wrong = t_ * off * 1.01 + 8 * u * angle;  // proof: allocation-hyperbola
    // Where 1 + G is hardly known, its size is all that counts.
    const bool is_known = off < 0.01 && wrong < 1;
    const double log_most = is_known ? exponent : t_ * math::log((modulus + g.error + p.off * steep) * (1 + 16 * u));
    if (!(log_most < 600)) return false;
    const double most = math::exp(log_most), half = math::sin(turn / 2);
    const std::complex<double> grown =
        is_known ? std::complex<double>(math::expm1(exponent) - 2 * most * half * half, most * math::sin(turn)) : -1.0;
    // proof: allocation-hyperbola
    const double grown_off = is_known ? most * math::expm1(wrong) + 24 * u * angle * std::max(1.0, most) : most * 1.01;
    const std::complex<double> tangent(p.tangent_re, p.tangent_im),
        weight = quotient(tangent * (spacing / pi), product_of(s, s));
    const std::complex<double> value = product_of(grown, weight);
    s_re_.push_back(s.real()), s_im_.push_back(s.imag());
    value_re_.push_back(value.real()), value_im_.push_back(value.imag());
    // proof: allocation-hyperbola
    off_.push_back(absolute(weight) * (grown_off + (40 * u + 3 * p.off / p.size) * absolute(grown)));
    off_by_d_.push_back(absolute(value) * p.off);
  }
  return false;
}

Interval AllocationHyperbola::call(double d) const {
  double sums[2];
  transform_.kernel().contour_sums(
      {s_re_.data(), s_im_.data(), value_re_.data(), value_im_.data(), off_.data(), off_by_d_.data(), s_re_.size()}, d,
      sums);
  const double error = (sums[1] + rule_.left_out) * (1 + 1e-9);  // proof: allocation-hyperbola
  return {(sums[0] - error) / t_ * (1 - 4 * u), (sums[0] + error) / t_ * (1 + 4 * u)};
}

}  // namespace hockeystick
