// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/allocation_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "mechanisms/allocation/allocation_contour.hpp"
#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t most_samples = 1 << 13;

constexpr double least_limit = 10;

// E e^(-lambda Y) is known to about 1e-16, and is to be at least e^-10.
double largest_tilt(const LognormalTransform& transform) {
  double lambda = least_limit;
  while (lambda < 500 && 1.2 * lambda - transform.log_moment_above(1.2 * lambda) < 10) lambda *= 1.2;
  return lambda;
}

// About the real lambda at which e^(lambda d) E e^(-lambda (S - t)) / lambda^2 is least, d < 0.
double saddle(const LognormalTransform& transform, double t, double d) {
  const auto value = [&](double log_lambda) {
    const double lambda = math::exp(log_lambda);
    return lambda * d + t * transform.log_moment_above(lambda) - 2 * log_lambda;
  };
  double low = math::log(0.01 / -d), high = math::log(largest_tilt(transform));
  if (!(low < high)) return math::exp(high);
  double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low), at_a = value(a), at_b = value(b);
  for (int i = 0; i < 12; ++i) {
    if (at_a < at_b) {
      high = b, b = a, at_b = at_a;
      a = low + 0.382 * (high - low), at_a = value(a);
    } else {
      low = a, a = b, at_a = at_b;
      b = low + 0.618 * (high - low), at_b = value(b);
    }
  }
  return math::exp((low + high) / 2);
}

}  // namespace

AllocationSeries::AllocationSeries(const LognormalTransform& transform, double t, double from, double to,
                                   double accuracy)
    : transform_(transform), t_(t), deviation_(std::sqrt(t * transform.variance()) * (1 + 4 * u)) {
  const double farthest = std::max(std::fabs(from), std::fabs(to)), above = std::max(0.0, to);
  const double part = accuracy * t / 8;
  // e^(lambda d) multiplies rounding, about 1000 u of the deviation.
  const double steepest = std::clamp(math::log(part / (1000 * u * deviation_)), 1.5, 5.0);
  lambda_ = to > 0 ? std::min(steepest / farthest, 2 / deviation_) : saddle(transform, t, from / 2 + to / 2);
  if (lambda_ > least_limit) lambda_ = std::min(lambda_, largest_tilt(transform));
  // Aliases from above: about e^(-lambda W) (W + deviation + K - t).
  period_ = 1 / lambda_;
  for (int i = 0; i < 6; ++i) period_ = std::max(1.0, math::log((deviation_ + above + 2 * period_) / part)) / lambda_;
  if (to > 0) period_ = std::max(period_, above + 2 * deviation_);
  for (int i = 0; i < 60 && t + to > period_; ++i) {
    const double needed = (period_ - to) / (deviation_ * deviation_);
    chernoff_ = std::max(2 * lambda_, std::min(needed, 600.0));
    log_chernoff_ = t * transform.log_moment_above(chernoff_) * (1 + 2 * u);
    if (alias_below(to) <= part) break;
    period_ *= 1.1;
  }
  spacing_ = with_bits(2 * pi / period_, 25);  // so that its multiples are exact
  period_ = 2 * pi / spacing_;
  // Samples are kept in units of (1 + G(lambda))^t.
  log_unit_ = t * transform.log_moment_above(lambda_);
  const double scale = math::exp(std::min(lambda_ * to + log_unit_, 700.0)) / period_;  // of the samples in put(K)
  std::size_t next_check = 8;
  for (std::size_t j = 0; j < most_samples; ++j) {
    checkpoint_each<64>(j);
    const std::complex<double> s{lambda_, spacing_ * static_cast<double>(j)};
    const auto [g, error] = transform.centred(s);
    const double gr = g.real(), gi = g.imag(), size = absolute(g), modulus = math::hypot(1 + gr, gi);
    const double log_size = size < 1 ? 0.5 * math::log1p(2 * gr + size * size) : math::log(modulus);
    const double angle = math::atan2(gi, 1 + gr);
    // The logarithm of 1 + G: what G's error makes of it, and its rounding, 24 u of |G| where |1 + G| is about 1.
    // proof: allocation-series
    const double off = error / modulus + 32 * u * std::min(size, 2.0) * (1 + 1 / (modulus * modulus));
    const double exponent = t * log_size, turn = t * angle;
    const double wrong = t * off * 1.01 + 8 * u * (std::fabs(exponent) + std::fabs(turn) + log_unit_ + 8);
    const double square = squared_modulus(s), weight = (j > 0 ? 2 : 1) / square;
    // Where 1 + G is hardly known, its size is all that counts.
    const bool is_known = off < 0.01 && wrong < 1;
    const double log_most = (is_known ? exponent : t * math::log((modulus + error) * (1 + 16 * u))) - log_unit_;
    if (!(log_most < 600)) return;  // out of the range of doubles: nothing is known
    const double most = math::exp(log_most) * weight;
    // 1 / s^2 = conj(s)^2 / |s|^4.
    const double sr = (s.real() * s.real() - s.imag() * s.imag()) / square, si = -2 * s.real() * s.imag() / square;
    const double er = math::cos(turn), ei = math::sin(turn);
    re_.push_back(is_known ? most * (er * sr - ei * si) : 0);
    im_.push_back(is_known ? most * (er * si + ei * sr) : 0);
    // proof: allocation-series
    rounding_ += is_known ? most * (math::expm1(wrong) + 24 * u) : most * 1.01;
    size_ += 1.5 * most;
    turning_ += most * static_cast<double>(j);
    if (j < next_check || most * scale * static_cast<double>(j) > part) continue;
    const double log_rest = log_tail(spacing_ * static_cast<double>(j + 1)) - log_unit_;
    if (log_rest < 700) {
      // proof: allocation-series
      tail_ = math::exp(log_rest) * period_ / (2 * pi * pi * static_cast<double>(j)) * period_ * (1 + 1e-12);
      if (tail_ * scale <= part) break;
    }
    next_check = j + 1 + j / 6;
  }
}

// log of an upper bound of |1 + G|^t at lambda + i w for every w >= omega: |g(lambda + i w)| is at most
// e^(theta^2 / (2 mu^2)) E e^(-c Y), c = lambda cos theta + w sin theta, on the line x - i theta / mu.
double AllocationSeries::log_tail(double omega) const {
  const double mu = transform_.mu(), theta = std::clamp(transform_.steepest_angle({lambda_, omega}), 0.0, 1.5);
  const double rise = theta * theta / (2 * mu * mu), half = math::sin(theta / 2);
  const double cut = 2 * lambda_ * half * half, fall = omega * math::sin(theta);
  const double moment = transform_.log_moment_above(lambda_ * math::cos(theta) + fall);
  return t_ * (rise + cut - fall + moment) + 32 * u * t_ * (rise + cut + fall + std::fabs(moment));
}

// The terms k < 0: put(x) <= e^(c (x - t)) E e^(-c (S - t)) / (c e) for every c > lambda; none if K <= W.
double AllocationSeries::alias_below(double d) const {
  if (t_ + d <= period_ * (1 - 4 * u)) return 0;
  const double c = chernoff_, fall = (c - lambda_) * period_;
  const double exponent = c * d + log_chernoff_ - 1 - math::log(c);
  const double size = std::fabs(c * d) + log_chernoff_ + fall + 8;
  // proof: allocation-series
  return math::exp(std::min(700.0, exponent - fall + 16 * u * size)) / -math::expm1(-fall) * (1 + 1e-12);
}

// Where the series leaves the range of doubles: put lies above max(K - t, 0), by at most half the deviation, and below
// its Chernoff bound, the one of the aliases from below, at lambda.
Interval AllocationSeries::by_moments(double d) const {
  const double least = std::max(0.0, d), log_moment = t_ * transform_.log_moment_above(lambda_) * (1 + 2 * u);
  const double exponent = lambda_ * d + log_moment - 1 - math::log(lambda_);
  const double size = std::fabs(lambda_ * d) + log_moment + 8;
  const double chernoff =
      exponent < 600 ? math::exp(exponent + 16 * u * size) + 1e-300 : infinity;  // proof: allocation-series
  const double most = std::min(chernoff, least + deviation_ / 2);
  return {least / t_ * (1 - 4 * u), most / t_ * (1 + 4 * u)};
}

Interval AllocationSeries::put(double d) const {
  if (!(is_complete() && std::fabs(lambda_ * d + log_unit_) < 600)) return by_moments(d);
  const double turn = spacing_ * d, cosine = math::cos(turn), sine = math::sin(turn);
  constexpr std::size_t block = 8;
  double sum = 0, sums = 0;
  for (std::size_t from = 0; from < re_.size(); from += block) {
    const double start = turn * static_cast<double>(from);
    double part = 0, pr = math::cos(start), pi_ = math::sin(start);
    for (std::size_t j = from; j < std::min(from + block, re_.size()); ++j) {
      part += re_[j] * pr - im_[j] * pi_;
      const double next = pr * cosine - pi_ * sine;
      pi_ = pi_ * cosine + pr * sine;
      pr = next;
    }
    sum += part, sums += std::fabs(sum);
  }
  const double scale = math::exp(lambda_ * d + log_unit_) / period_;
  // A turn is off by 2 u of itself, j of them by j times that; a cosine and the steps from the start of a block by 16 u
  // each.
  const double turned = (turning_ * 3 * std::fabs(turn) + size_ * 8 * (block + 2)) * u;  // proof: allocation-series
  const double rounding =                                                                // proof: allocation-series
      scale * (rounding_ + turned + (size_ * (block + 16 + 8 * (lambda_ * std::fabs(d) + log_unit_)) + sums) * u);
  const double fall = lambda_ * period_, q = math::exp(-fall) * (1 + 8 * u * (1 + fall)), rest = -math::expm1(-fall);
  // proof: allocation-series
  const double above = q / rest * (deviation_ / 2 + std::max(0.0, d)) + period_ * q / (rest * rest);
  const double error = rounding + scale * tail_;
  return {(scale * sum - error - above * (1 + 1e-12) - alias_below(d)) / t_, (scale * sum + error) / t_};
}

Allocation checked_allocation(double noise_multiplier, double steps, double epochs) {
  checked(allocated_steps.name, steps, allocated_steps.range);
  checked(allocated_epochs.name, epochs, allocated_epochs.range);
  const double mu = std::sqrt(epochs) / noise_multiplier;
  if (!(mu >= 1e-3 * (1 - 1e-15) && mu <= 5 * (1 + 1e-15)))
    throw std::invalid_argument("sqrt(epochs) / noise must be in [0.001, 5]");
  return {mu, steps};
}

namespace {

// Deviations of the loss up to which intervals are even. Further out, where the upper tail may be long, they are
// multiples that grow with the loss: all kinks of a law lie on one lattice, which composes without a loss.
constexpr double even_spreads = 3;

// One side of the curve from alpha = 1 on, outwards.
class Walk {
 public:
  Walk(const Allocation& allocation, const LognormalTransform& transform, double fine, double tail, bool up)
      : transform_(transform),
        t_(allocation.steps),
        spread_(std::sqrt(transform.variance() / t_)),
        slack_(2 * u * allocation.mu),  // proof: parameter-rounding
        fine_(fine),
        tail_(tail),
        up_(up) {}

  EnclosedCurve run() {
    const double accuracy = std::max(tail_ / 64, 1e-16), even = even_spreads * spread_;
    std::int64_t k = up_ ? 0 : -1, step = up_ ? 1 : -1;  // the loss, and to the next, in units of `fine`
    double from = 0;
    for (;;) {
      // K - t doubles from block to block, and below t / 2 K halves.
      const double doubled = std::max(2 * std::fabs(from), spread_);
      const double to = up_ ? doubled : from > -0.5 ? -std::min(doubled, 0.5) : (from - 1) / 2;
      const AllocationContour contour(transform_, t_, t_ * std::min(from, to), t_ * std::max(from, to), accuracy);
      for (;; k += step) {
        // Groups of as many equal steps end on whole intervals.
        if (up_ && curve_.alpha.size() % allocation_stride == 0)
          step = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(k) * fine_ / even));
        const double alpha = math::exp(fine_ * static_cast<double>(k)), d = alpha - 1;
        if (up_ ? d > to : d < to) break;
        const auto [low, high] = contour.at(t_ * d);
        // t d is off by 2 u of itself, where the curve falls from the point before to 0 at most; below 1, differences
        // too.
        double steepest = 1;
        if (up_ && !curve_.alpha.empty())
          steepest = std::min(1.0, curve_.upper.back() / (alpha - curve_.alpha.back()) * (1 + 1e-9));
        // proof: allocation-series
        const double margin = slack_ + (up_ ? 4 * u * d * steepest : 8 * u * (-d + 1e-4)), line = std::max(0.0, -d);
        curve_.alpha.push_back(alpha);
        curve_.lower.push_back(std::max(low + line - margin, line));
        curve_.upper.push_back(std::min(1.0, high + line + margin));
        const bool is_small = high < std::max(tail_, 2 * (high - low));
        const bool is_whole = curve_.alpha.size() % allocation_stride == (up_ ? 1 : 0);
        if ((is_small && is_whole) || curve_.alpha.size() > (1 << 22)) return curve_;
      }
      from = to;
    }
  }

 private:
  const LognormalTransform& transform_;
  double t_, spread_, slack_, fine_, tail_;
  bool up_;
  EnclosedCurve curve_;
};

}  // namespace

EnclosedCurve allocation_curve(const Allocation& allocation, double interval, double tail) {
  const LognormalTransform transform(allocation.mu);
  const double fine = interval / static_cast<double>(allocation_stride);
  EnclosedCurve curve = Walk(allocation, transform, fine, tail, false).run();
  const EnclosedCurve above = Walk(allocation, transform, fine, tail, true).run();
  for (const auto part : {&EnclosedCurve::alpha, &EnclosedCurve::lower, &EnclosedCurve::upper}) {
    std::reverse((curve.*part).begin(), (curve.*part).end());
    (curve.*part).insert((curve.*part).end(), (above.*part).begin(), (above.*part).end());
  }
  return curve;
}

}  // namespace hockeystick
