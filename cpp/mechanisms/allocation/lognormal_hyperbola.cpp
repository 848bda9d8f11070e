// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/lognormal_hyperbola.hpp"

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

struct LognormalHyperbola::Point {
  double u, re, im, size;         // s and its modulus m (cosh u - sin alpha)
  double tangent_re, tangent_im;  // s'
  double stretch;                 // at least |s'| / |s|^order, as |s'| <= m cosh u; it falls with u
  double off;                     // bounds the rounding of s

  // Times a scale.
  Point scaled(double by) const {
    return {u, by * re, by * im, by * size, by * tangent_re, by * tangent_im, stretch, by * off};
  }
};

// The half u >= 0 of a hyperbola.
class LognormalHyperbola::Arm {
 public:
  Arm(double m, double alpha, Kind kind)
      : m_(m), alpha_(alpha), sine_(math::sin(alpha)), cosine_(math::cos(alpha)), kind_(kind) {}

  Point at(double at) const {
    const double sh = math::sinh(at), ch = std::sqrt(1 + sh * sh), size = m_ * (ch - sine_);
    Point p{};
    p.u = at, p.re = m_ * (1 - sine_ * ch), p.im = m_ * cosine_ * sh, p.size = size;
    p.tangent_re = -m_ * sine_ * sh, p.tangent_im = m_ * cosine_ * ch;
    p.stretch = m_ * ch / (kind_ == Kind::put ? size * size : size) * (1 + 1e-12);
    p.off = u * m_ * (6 + at + (14 + at) * sh);
    return p;
  }
  double alpha() const { return alpha_; }

 private:
  double m_, alpha_, sine_, cosine_;
  Kind kind_;
};

namespace {

// About the saddle's, but so that Re(s e^(-i angle)) > 0 from a to b.
template <class Point>
double angle_at(const LognormalTransform& transform, const Point& a, const Point& b) {
  const double angle = transform.steepest_angle({a.re, a.im});
  const double least = std::max(0.0, math::atan2(b.im, b.re) - pi / 2 + 0.05);
  return angle > least ? std::min(angle, std::max(1.5, least)) : least;
}

// Upper bound of log|1 + G(s)| between a and b. On the line x - i angle / mu, |g(s)| is at most e^(angle^2 / (2 mu^2))
// E e^(-c Y), c = Re(s e^(-i angle)) > 0, and |1 + G| = e^(Re s) |g|. Re s - c falls with u; c'' is a sinh u - b cosh u
// for some a, b >= 0, so that c is concave or grows: it is least at an end. log E e^(-c (Y - 1)) grows with c.
template <class Point>
double log_turned(const LognormalTransform& transform, const Point& a, const Point& b, double angle, bool grows) {
  const double mu = transform.mu(), cosine = math::cos(angle), sine = math::sin(angle);
  const double at_a = a.re * cosine + a.im * sine, at_b = b.re * cosine + b.im * sine;
  if (!(at_a > 1e-9 * a.size && at_b > 1e-9 * b.size)) return infinity;
  const double slope = a.tangent_re * cosine + a.tangent_im * sine;
  const double most = grows ? at_b : at_a + std::max(0.0, slope) * (b.u - a.u);
  const double half = math::sin(angle / 2), apart = 2 * half * half * a.re - a.im * sine;
  const double rise = angle * angle / (2 * mu * mu), size = std::fabs(a.re) + a.im + b.size + rise;
  const double moment = transform.log_moment_above(most + 1e-12 * b.size);
  return apart + rise + moment + 1e-14 * (size + moment);
}

}  // namespace

// The same. On a line where Re(s Y) >= 0, |e^-z - 1 + z - z^2 / 2| <= e^r |z|^3 / 6, r = max(Re s, 0), and on every
// line E (Y - 1)^2 is the variance: G is the variance times s^2 / 2 but for E (|Y| + 1)^3 e^r |s|^3 / 6. log|1 + G| <=
// Re G + |G|^2 / 2.
double log_power_near_zero(const LognormalTransform& transform, double t, std::complex<double> a,
                           std::complex<double> b, double size) {
  const double mu = transform.mu(), variance = transform.variance(), s = size * (1 + 1e-12), re = a.real();
  const double y = (std::max(0.0, math::atan2(b.imag(), b.real()) - pi / 2) + 1e-9) / mu;
  const double third = math::exp(3 * mu * mu) + 3 * math::exp(mu * mu) + 4;
  const double rest = third / 6 * math::exp(y * y / 2 + std::max(0.0, re)) * s * s * s;  // proof: lognormal-hyperbola
  const double square = std::max(re * re, b.real() * b.real()) - a.imag() * a.imag(),
               most = variance / 2 * s * s + rest;
  // proof: lognormal-hyperbola
  return t * (variance / 2 * square + rest + most * most / 2 + 1e-11 * most) * (1 + 1e-9);
}

namespace {

// The same. |G'| = |E (Y - 1) (1 - e^-z)| is at most |s| e^r E |Y - 1|^2 and (1 + e^r) E |Y - 1|, on that line.
template <class Point>
double log_sampled(const LognormalTransform& transform, const Point& a, const Point& b) {
  const auto [g, error] = transform.centred({a.re, a.im});
  const double turn = std::max(0.0, math::atan2(b.im, b.re) - pi / 2) + 1e-9, y = turn / transform.mu();
  const double e = math::exp(std::max(0.0, a.re)), half = math::sin(turn / 2);
  const double square = transform.variance() + 4 * half * half;
  const double steepest =
      math::exp(y * y / 2) * std::min(b.size * e * square, (1 + e) * std::min(2.0, std::sqrt(square)));
  const double path = math::hypot(b.tangent_re, b.tangent_im) * (b.u - a.u);
  const double grown = (path + a.off) * steepest + error, gr = g.real(), gi = g.imag(), modulus = absolute(1.0 + g);
  const double log_size =
      absolute(g) < 0.5 ? 0.5 * math::log1p(2 * gr + gr * gr + gi * gi) + grown / modulus : math::log(modulus + grown);
  return log_size + 1e-14;
}

}  // namespace

// Upper bound of log|g| between a and b.
double LognormalHyperbola::log_power(const Arm& arm, const Point& a, const Point& b, bool is_sampled) const {
  const LognormalTransform& transform = sum_.transform();
  double all = 0;
  for (const auto& [scale, count] : sum_.parts()) {
    const Point from = a.scaled(scale), to = b.scaled(scale);
    const double angle = angle_at(transform, from, to);
    double least = std::min(log_power_near_zero(transform, count, {from.re, from.im}, {to.re, to.im}, to.size),
                            count * log_turned(transform, from, to, angle, angle > arm.alpha()));
    if (is_sampled) least = std::min(least, count * log_sampled(transform, from, to));
    all += least;
  }
  return all;
}

// An upper bound of |f s'| at a point, which from there on falls at least at this rate.
double LognormalHyperbola::beyond(const Arm& arm, const Point& at, double& rate) const {
  double power = 0;
  for (const auto& [scale, count] : sum_.parts()) {
    const Point here = at.scaled(scale);
    const double angle = std::max(angle_at(sum_.transform(), here, here), std::min(arm.alpha() + 0.02, 1.5));
    power += count * log_turned(sum_.transform(), here, here, angle, true);
  }
  rate = from_ * -at.tangent_re * (1 - 1e-9);
  const double fall = from_ * at.re * (1 - 1e-12);
  return at.stretch * (math::exp(fall + power) + math::exp(fall));
}

// Upper bound of the integral of |f s'| over the whole hyperbola, piece by piece.
double LognormalHyperbola::modulus(const Arm& arm) const {
  double sum = 0;
  Point at = arm.at(0);
  for (double next = piece;; next += piece) {
    const Point to = arm.at(next);
    const double fall = std::max(from_ * at.re, to_ * at.re) + 1e-12 * to_ * at.size;
    double power = log_power(arm, at, to, false);
    if (power > 2 && power + fall > -20) power = log_power(arm, at, to, true);
    sum += piece * at.stretch * (math::exp(fall + power) + math::exp(fall));
    if (!(sum < 1e200)) return infinity;
    at = to;
    if (fall > -20) continue;
    double rate;
    const double rest = beyond(arm, at, rate);
    if (rest < 1e-3 * sum * rate) return 2 * (sum + rest / rate) * (1 + 1e-9);
  }
}

LognormalHyperbola::LognormalHyperbola(const LognormalSum& sum, Kind kind, double from, double to, double accuracy)
    : sum_(sum), kind_(kind), from_(from), to_(to), samples_(sum.transform().kernel()) {
  const double part = accuracy / 4;
  // e^(s d) multiplies rounding, which is about 300 u of the deviation.
  const double size = kind == Kind::put ? sum.deviation() : 1, rounding = 300 * u * size;
  const double growth = std::clamp(math::log(accuracy / rounding), 2.0, 4.0);
  // Wider ones take few nodes less; a narrow one serves where the outer edge of the other costs much.
  double fewest = most_samples;
  for (const double tried : {0.39, 0.25}) {
    const bool has_line = std::isfinite(sum.transform().centred({-math::sin(tried), math::cos(tried)}).error);
    if (3 * fewest < most_samples || !has_line) continue;
    const double width = 0.8 * tried, scale = growth / (to * (1 - math::sin(tried)));
    // proof: lognormal-hyperbola
    const std::array moduli{modulus({scale, tried - width, kind}) / (2 * pi),
                            modulus({scale, tried + width, kind}) / (2 * pi)};
    const double both = moduli[0] + moduli[1];  // proof: lognormal-hyperbola
    const double step = 2 * pi * width / math::log1p(both / part), unit = kind == Kind::put ? scale : 1;
    const double end = math::acosh((1 + math::log1p(1 / (unit * part)) / (scale * from)) / math::sin(tried));
    if (!std::isfinite(both)) break;
    if (!(end / step < fewest)) continue;
    fewest = end / step;
    rule_ = {scale, tried, width, step, moduli};
    // proof: lognormal-hyperbola
    rule_.left_out = both / math::expm1(2 * pi * width / step * (1 - 1e-12)) * (1 + 1e-9);
  }
  built_ = rule_.step > 0 && sample({rule_.m, rule_.alpha, kind}, rule_.step, part);
}

bool LognormalHyperbola::sample(const Arm& arm, double spacing, double part) {
  for (std::size_t k = 0; k < most_samples; ++k) {
    checkpoint_each<64>(k);
    const Point p = arm.at((static_cast<double>(k) + 0.5) * spacing);
    if (from_ * p.re < -8) {
      double rate;
      const double bound = beyond(arm, p, rate), rest = bound * spacing / pi / -math::expm1(-rate * spacing);
      if (rest <= part) {
        rule_.left_out += rest * (1 + 1e-9);  // proof: lognormal-hyperbola
        return true;
      }
    }
    const std::complex<double> s(p.re, p.im), tangent(p.tangent_re, p.tangent_im);
    const auto [exponent, turn, wrong, is_known] = sum_.power(s, p.off);
    if (!(exponent < 600)) return false;
    const double most = math::exp(exponent), half = math::sin(turn / 2), angle = std::fabs(exponent) + std::fabs(turn);
    const std::complex<double> grown =
        is_known ? std::complex<double>(math::expm1(exponent) - 2 * most * half * half, most * math::sin(turn)) : -1.0;
    // proof: lognormal-hyperbola
    const double grown_off = is_known ? most * math::expm1(wrong) + 24 * u * angle * std::max(1.0, most) : most * 1.01;
    const std::complex<double> weight = quotient(tangent * (spacing / pi), kind_ == Kind::put ? product_of(s, s) : -s);
    const std::complex<double> value = product_of(grown, weight);
    // proof: lognormal-hyperbola
    const double off = absolute(weight) * (grown_off + (40 * u + 3 * p.off / p.size) * absolute(grown));
    samples_.add(s, value, off, absolute(value) * p.off);
  }
  return false;
}

Interval LognormalHyperbola::at(double d) const {
  const auto [sum, rounding] = samples_.at(d);
  const double error = (rounding + rule_.left_out) * (1 + 1e-9);  // proof: lognormal-hyperbola
  return {sum - error, sum + error};
}

}  // namespace hockeystick
