// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/lognormal_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr std::size_t most_samples = 1 << 12;
constexpr double largest_tilt = 10;  // of a part: its transform is off by some e^tilt 1e-20

}  // namespace

double deviation(const LognormalTransform& transform, const std::vector<LognormalPart>& parts) {
  double variance = 0;
  for (const auto& [scale, count] : parts) variance += count * scale * scale * transform.variance();
  return std::sqrt(variance) * (1 + 8 * u);
}

LognormalSum::LognormalSum(const LognormalTransform& transform, std::vector<LognormalPart> parts, double to,
                           double accuracy)
    : transform_(transform), parts_(std::move(parts)) {
  for (const auto& [scale, count] : parts_) {
    mean_ += scale * count;
    largest_ = std::max(largest_, scale);
  }
  std::size_t samples;
  for (double part = accuracy / 8;; part *= 4) {
    plan(to, part);
    samples = samples_for(math::log(part * period_) - lambda_ * to);
    if (samples < most_samples) break;
    if (part > 1e-3) return;  // nothing is known
  }
  for (std::size_t j = 0; j <= samples; ++j) {
    checkpoint_each<64>(j);
    const std::complex<double> s{lambda_, spacing_ * static_cast<double>(j)};
    const auto [log_size, turn, wrong, is_known] = sample(s);
    if (!(log_size < 600)) return;  // out of the range of doubles: nothing is known
    const double modulus = absolute(s), most = math::exp(log_size) * (j > 0 ? 2 : 1) / modulus;
    // 1 / s = conj(s) / |s|^2.
    const double sr = s.real() / modulus, si = -s.imag() / modulus, er = math::cos(turn), ei = math::sin(turn);
    re_.push_back(is_known ? most * (er * sr - ei * si) : 0);
    im_.push_back(is_known ? most * (er * si + ei * sr) : 0);
    // proof: lognormal-sum
    rounding_ += is_known ? most * (math::expm1(wrong) + 24 * u) : most * 1.01;
    size_ += 1.5 * most;
    turning_ += most * static_cast<double>(j);
  }
  const double log_rest = log_tail(spacing_ * static_cast<double>(samples + 1));
  if (log_rest < 600) tail_ = math::exp(log_rest) * (1 + 1e-12);  // proof: lognormal-sum
}

// The line and the period for aliases of about `part`.
void LognormalSum::plan(double to, double part) {
  const double spread = deviation(transform_, parts_);
  // e^(lambda d) times some 1e-15 is the rounding.
  const double growth = std::clamp(math::log(part / 1e-15), 1.0, 5.0);
  lambda_ = std::min({growth / std::max(to, spread / 2), 2 / spread, largest_tilt / largest_});
  period_ = math::log(2 / part) / lambda_;
  for (int i = 0; i < 60 && mean_ + to > period_; ++i) {
    const double needed = (period_ - to) / (spread * spread);
    chernoff_ = std::max(2 * lambda_, std::min(needed, 20 * largest_tilt / largest_));
    log_chernoff_ = log_moment_above(chernoff_);
    if (alias_below(to) <= part) break;
    period_ *= 1.1;
  }
  spacing_ = with_bits(2 * pi / period_, 25);  // so that its multiples are exact
  period_ = 2 * pi / spacing_;
}

// How many leave out less than e^`log_part`, about; `most_samples` if more.
std::size_t LognormalSum::samples_for(double log_part) const {
  const auto is_enough = [&](double omega) { return log_tail(omega) < log_part; };
  const double farthest = spacing_ * most_samples;
  double low = std::min(4 / deviation(transform_, parts_), farthest), high = low;
  while (high < farthest && !is_enough(high)) low = std::exchange(high, 2 * high);
  if (high >= farthest) return most_samples;
  for (int i = 0; i < 3; ++i) {
    const double middle = std::sqrt(low * high);
    (is_enough(middle) ? high : low) = middle;
  }
  return static_cast<std::size_t>(high / spacing_) + 1;
}

LognormalSum::Sample LognormalSum::sample(std::complex<double> s) const {
  Sample result{0, 0, 0, true};
  double log_most = 0;
  for (const auto& [scale, count] : parts_) {
    const std::complex<double> z = scale * s;
    const auto [g, off_transform] = transform_.centred(z);
    // z is off by u of itself, and |G'(z)| <= |z| e^(Re z) E (Y - 1)^2.
    // proof: lognormal-sum
    const double error = off_transform + 2 * u * squared_modulus(z) * math::exp(z.real()) * transform_.variance();
    const double gr = g.real(), gi = g.imag(), size = absolute(g), modulus = math::hypot(1 + gr, gi);
    const double log_size = size < 1 ? 0.5 * math::log1p(2 * gr + size * size) : math::log(modulus);
    const double angle = math::atan2(gi, 1 + gr);
    // As in allocation-series: what G's error makes of log(1 + G), and its rounding.
    // proof: lognormal-sum
    const double off = error / modulus + 32 * u * std::min(size, 2.0) * (1 + 1 / (modulus * modulus));
    result.is_known = result.is_known && off < 0.01;
    result.log_size += count * log_size;
    result.turn += count * angle;
    // proof: lognormal-sum
    result.wrong += count * off * 1.01 + 8 * u * (count * (std::fabs(log_size) + std::fabs(angle)) + 8);
    log_most += count * math::log((modulus + error) * (1 + 16 * u));
  }
  result.is_known = result.is_known && result.wrong < 1;
  if (!result.is_known) result.log_size = log_most;  // its size is all that counts
  return result;
}

// log E e^(-c (S - m)), rounded up.
double LognormalSum::log_moment_above(double c) const {
  double result = 0;
  for (const auto& [scale, count] : parts_) result += count * transform_.log_moment_above(scale * c * (1 + 4 * u));
  return result * (1 + 8 * u);
}

// log of an upper bound of the sum of 2 |g(s_j)| / |s_j| over the j with Im s_j >= omega. On the line x - i theta / mu,
// |g(lambda + i w)| is at most the product over parts of the count-th power of e^(theta^2 / (2 mu^2)) E e^-(a c Y), a
// the scale, c = lambda cos theta + w sin theta. As log E e^-(c Y) is concave in log c and at least -c, it falls there
// with a power r >= (L - c') / log(c / c'), L = -log E e^-(c Y), for each c' < c: that of L / 2.
double LognormalSum::log_tail(double omega) const {
  const double mu = transform_.mu();
  const auto value = [&](double theta) {
    const double rise = theta * theta / (2 * mu * mu), half = math::sin(theta / 2), sine = math::sin(theta);
    const double cut = 2 * lambda_ * half * half, fall = omega * sine, c = lambda_ * math::cos(theta) + fall;
    double sum = 0, power = 0;
    for (const auto& [scale, count] : parts_) {
      const double moment = transform_.log_moment_above(scale * c), size = scale * (cut + fall + c) + moment;
      sum += count * (rise + scale * (cut - fall) + moment + 32 * u * (rise + size));  // proof: lognormal-sum
      const double least = (scale * c - moment) * (1 - 1e-9) - 8 * u * size;
      if (least > 0) power += count * least / 2 / math::log(2 * scale * c / least);
    }
    if (!(power > 1.01)) return infinity;
    return sum + math::log(2 / omega * (1 + c / (spacing_ * sine * (power - 1)))) +
           32 * u * 700;  // proof: lognormal-sum
  };
  double low = 0, high = std::min(1.5, omega * mu * mu * 2), least = infinity;
  for (int i = 0; i < 9; ++i) {
    const double a = low + 0.382 * (high - low), b = low + 0.618 * (high - low);
    const double at_a = value(a), at_b = value(b);
    least = std::min({least, at_a, at_b});
    (at_a < at_b ? high : low) = at_a < at_b ? b : a;
  }
  return least;
}

// The terms k < 0: P(S - m <= x) <= e^(c x) g(c) for every c > lambda; none if K <= W.
double LognormalSum::alias_below(double d) const {
  if (mean_ + d <= period_ * (1 - 16 * u)) return 0;
  const double fall = (chernoff_ - lambda_) * period_, exponent = chernoff_ * d + log_chernoff_;
  const double size = std::fabs(chernoff_ * d) + log_chernoff_ + fall + 8;
  // proof: lognormal-sum
  return math::exp(std::min(700.0, exponent - fall + 16 * u * size)) / -math::expm1(-fall) * (1 + 1e-12);
}

Interval LognormalSum::up_to(double d) const {
  if (!(tail_ < 1e290)) return {0, 1};
  const double turn = spacing_ * d, cosine = math::cos(turn), sine = math::sin(turn);
  constexpr std::size_t block = 32;
  double sum = 0, pr = 1, pi_ = 0;
  for (std::size_t from = 0; from < re_.size(); from += block) {
    double part = 0;
    for (std::size_t j = from; j < std::min(from + block, re_.size()); ++j) {
      part += re_[j] * pr - im_[j] * pi_;
      const double next = pr * cosine - pi_ * sine;
      pi_ = pi_ * cosine + pr * sine;
      pr = next;
    }
    sum += part;
  }
  const double scale = math::exp(lambda_ * d) / period_, count = static_cast<double>(re_.size() / block + block);
  // A turn is off by u of itself and its sine by 4 u, j of them by j times that.
  const double turned = turning_ * (4 * std::fabs(turn) + 16) * u;  // proof: lognormal-sum
  // proof: lognormal-sum
  const double error =
      scale * (rounding_ + tail_ + turned + size_ * (count + 16 + 8 * lambda_ * std::fabs(d)) * u) * (1 + 1e-12);
  const double q = math::exp(-lambda_ * period_) * (1 + 8 * u * (1 + lambda_ * period_));
  const double above = q / (1 - q) * (1 + 1e-12);  // proof: lognormal-sum
  return {std::max(0.0, scale * sum - error - above - alias_below(d)), std::min(1.0, scale * sum + error)};
}

}  // namespace hockeystick
