// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/lognormal_series.hpp"

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
constexpr std::size_t most_samples = 1 << 13, most_of_probabilities = 1 << 12;
constexpr double least_limit = 10;  // of the tilt of a part

// A golden-section search for a low value of a convex function.
template <class Value>
double golden_section(double low, double high, int steps, const Value& value) {
  double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low), at_a = value(a), at_b = value(b);
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = low + 0.382 * (high - low), at_a = value(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + 0.618 * (high - low), at_b = value(b);
    }
  }
  return low + (high - low) / 2;
}

}  // namespace

LognormalSeries::LognormalSeries(const LognormalSum& sum, Kind kind, double from, double to, double accuracy)
    : sum_(sum), kind_(kind), samples_(sum.transform().kernel()) {
  double part = accuracy / 8;
  for (;; part *= 4) {
    plan(from, to, part);
    if (is_put() || log_left_out(most_of_probabilities) + lambda_ * to + log_unit_ < math::log(part * period_)) break;
    if (part > 1e-3) return;  // nothing is known
  }
  take_samples(to, part);
}

// E e^(-lambda Y) is known to about 1e-16, and is to be at least e^-10.
double LognormalSeries::steepest() const {
  double tilt = least_limit;
  while (tilt < 500 && 1.2 * tilt - sum_.transform().log_moment_above(1.2 * tilt) < 10) tilt *= 1.2;
  return tilt / sum_.largest_scale();
}

// About the real lambda at which e^(lambda d) g(lambda) / lambda^2 is least, d < 0.
double LognormalSeries::saddle(double d) const {
  const double low = math::log(0.01 / -d), high = math::log(steepest());
  if (!(low < high)) return math::exp(high);
  return math::exp(golden_section(low, high, 12, [&](double log_lambda) {
    const double lambda = math::exp(log_lambda);
    return lambda * d + sum_.log_moment_above(lambda) - 2 * log_lambda;
  }));
}

// The line and the period for aliases of about `part`.
void LognormalSeries::plan(double from, double to, double part) {
  const double deviation = sum_.deviation(), largest = sum_.largest_scale();
  const bool is_below = is_put() && !(to > 0);
  const double farthest = is_put() ? std::max(std::fabs(from), std::fabs(to)) : std::max(to, deviation / 2);
  const double above = is_put() ? std::max(0.0, to) : 0;
  // e^(lambda d) multiplies rounding: of put about 1000 u of the deviation.
  const double growth = std::clamp(math::log(part / (is_put() ? 1000 * u * deviation : 9 * u)), 1.5, 5.0);
  lambda_ = is_below ? saddle(from / 2 + to / 2) : std::min(growth / farthest, 2 / deviation);
  if (lambda_ * largest > least_limit) lambda_ = std::min(lambda_, steepest());
  // Aliases from above are about e^(-lambda W) times 1, or times W + deviation + K - m.
  period_ = 1 / lambda_;
  for (int i = 0; i < 6; ++i) {
    const double size = is_put() ? deviation + above + 2 * period_ : 2;
    period_ = std::max(1.0, math::log(size / part)) / lambda_;
  }
  if (is_put() && to > 0) period_ = std::max(period_, above + 2 * deviation);
  for (int i = 0; i < 60 && sum_.mean() + to > period_; ++i) {
    const double needed = (period_ - to) / (deviation * deviation);
    chernoff_ = std::max(2 * lambda_, std::min(needed, (is_put() ? 600 : 200) / largest));
    log_chernoff_ = sum_.log_moment_above(chernoff_);
    if (alias_below(to) <= part) break;
    period_ *= 1.1;
  }
  spacing_ = with_bits(2 * pi / period_, 25);  // so that its multiples are exact
  period_ = 2 * pi / spacing_;
  log_unit_ = sum_.log_moment_above(lambda_);
}

// As many as leave out less than `part` at K - m = `to`, if that is not too many.
void LognormalSeries::take_samples(double to, double part) {
  const double scale = math::exp(std::min(lambda_ * to + log_unit_, 700.0)) / period_;  // of the samples in f(K)
  std::size_t next_check = 8;
  for (std::size_t j = 0; j < most_samples; ++j) {
    checkpoint_each<64>(j);
    const double omega = spacing_ * static_cast<double>(j);
    const std::complex<double> s{lambda_, omega};
    const auto [log_g, turn, wrong, is_known] = sum_.power(s, 0);
    const double log_size = log_g - log_unit_;
    if (!(log_size < 600)) return;  // out of the range of doubles: nothing is known
    // 1 / s = conj(s) / |s|^2, 1 / s^2 = conj(s)^2 / |s|^4.
    const double modulus = is_put() ? squared_modulus(s) : absolute(s);
    const double most = math::exp(log_size) * (j > 0 ? 2 : 1) / modulus;
    const std::complex<double> down = std::conj(s), power = (is_put() ? product_of(down, down) : down) / modulus;
    const std::complex<double> g{-most * math::sin(turn), most * math::cos(turn)};
    // proof: lognormal-series
    const double off = is_known ? math::expm1(wrong + 8 * u * (std::fabs(log_unit_) + 8)) + 24 * u : 1.01;
    samples_.add({0, omega}, is_known ? product_of(g, power) : 0, most * off);
    if (j < next_check || most * scale * static_cast<double>(j) > part) continue;
    const double log_rest = log_left_out(j + 1);
    if (log_rest < 700) tail_ = math::exp(log_rest) * (1 + 1e-12);  // proof: lognormal-series
    if (tail_ * scale <= part) break;
    next_check = j + 1 + j / 6;
  }
}

// log of an upper bound of the sum of 2 |g(s_j)| / |s_j|^order from j = `from` on, in the unit. On the line x - i theta
// / mu, |g(lambda + i w)| is at most the product over parts of the count-th power of e^(theta^2 / (2 mu^2)) E e^-(a c
// Y), a the scale, c = lambda cos theta + w sin theta.
//
// As log E e^(-c Y) is concave in log c and at least -c, it falls there with a power r >= (L - c') / log(c / c'),
// L = -log E e^(-c Y), for each c' < c: that of L / 2. For put it need not fall.
double LognormalSeries::log_left_out(std::size_t from) const {
  const LognormalTransform& transform = sum_.transform();
  const double omega = spacing_ * static_cast<double>(from), mu = transform.mu();
  const double theta = std::clamp(transform.steepest_angle({lambda_, omega}), 0.0, 1.5);
  const double rise = theta * theta / (2 * mu * mu), half = math::sin(theta / 2);
  const double sine = math::sin(theta), cut = 2 * lambda_ * half * half, fall = omega * sine;
  const double c = lambda_ * math::cos(theta) + fall;
  double sum = -log_unit_, power = 0;
  for (const auto& [scale, count] : sum_.parts()) {
    const double moment = transform.log_moment_above(scale * c), size = scale * (cut + fall + c) + moment;
    sum += count * (rise + scale * (cut - fall) + moment + 32 * u * (rise + size));  // proof: lognormal-series
    if (is_put()) continue;
    const double least = (scale * c - moment) * (1 - 1e-9) - 8 * u * size;
    if (least > 0) power += count * least / 2 / math::log(2 * scale * c / least);
  }
  // proof: lognormal-series
  if (is_put()) return sum + math::log(2 / (spacing_ * (omega - spacing_)));
  if (!(power > 1.01)) return infinity;
  return sum + math::log(2 / omega * (1 + c / (spacing_ * sine * (power - 1)))) +
         32 * u * 700;  // proof: lognormal-series
}

// The terms k > 0: probabilities are at most 1, and put is at most half the deviation above max(x - m, 0).
double LognormalSeries::alias_above(double d) const {
  const double fall = lambda_ * period_, q = math::exp(-fall) * (1 + 8 * u * (1 + fall)), rest = -math::expm1(-fall);
  if (!is_put()) return q / rest * (1 + 1e-12);  // proof: lognormal-series
  // proof: lognormal-series
  return (q / rest * (sum_.deviation() / 2 + std::max(0.0, d)) + period_ * q / (rest * rest)) * (1 + 1e-12);
}

// The terms k < 0, by Chernoff's bound e^(c x) g(c) for every c > lambda, for put over c e; none if K <= W.
double LognormalSeries::alias_below(double d) const {
  if (sum_.mean() + d <= period_ * (1 - 16 * u)) return 0;
  const double c = chernoff_, fall = (c - lambda_) * period_;
  const double exponent = c * d + log_chernoff_ - (is_put() ? 1 + math::log(c) : 0);
  const double size = std::fabs(c * d) + log_chernoff_ + fall + 8;
  // proof: lognormal-series
  return math::exp(std::min(700.0, exponent - fall + 16 * u * size)) / -math::expm1(-fall) * (1 + 1e-12);
}

// Where the series leaves the range of doubles: put lies above max(K - m, 0), by at most half the deviation, and below
// its Chernoff bound, the one of the aliases from below, at lambda.
Interval LognormalSeries::by_moments(double d) const {
  if (!is_put()) return {0, 1};
  const double least = std::max(0.0, d), log_moment = sum_.log_moment_above(lambda_);
  const double exponent = lambda_ * d + log_moment - 1 - math::log(lambda_);
  const double size = std::fabs(lambda_ * d) + log_moment + 8;
  const double chernoff =
      exponent < 600 ? math::exp(exponent + 16 * u * size) + 1e-300 : infinity;  // proof: lognormal-series
  return {least * (1 - 4 * u), std::min(chernoff, least + sum_.deviation() / 2) * (1 + 4 * u)};
}

Interval LognormalSeries::at(double d) const {
  if (!(is_complete() && std::fabs(lambda_ * d + log_unit_) < 600)) return by_moments(d);
  const auto [sum, rounding] = samples_.at(d);
  const double exponent = lambda_ * d + log_unit_, scale = math::exp(exponent) / period_;
  // proof: lognormal-series
  const double scaled = std::fabs(sum) * (16 + 8 * (lambda_ * std::fabs(d) + log_unit_)) * u;
  const double error = scale * (rounding + scaled + tail_) * (1 + 1e-12);
  const Interval found{scale * sum - error - alias_above(d) - alias_below(d), scale * sum + error};
  return is_put() ? found : Interval{std::max(0.0, found.lower), std::min(1.0, found.upper)};
}

}  // namespace hockeystick
