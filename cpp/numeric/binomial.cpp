// SPDX-License-Identifier: Apache-2.0
#include "numeric/binomial.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double log_two_pi = 1.8378770664093454836;

// log n! less Stirling's formula n log n - n + log(2 pi n) / 2, for 1 <= n < 16.
constexpr std::array<double, 16> few_rests{0,
                                           0.081061466795327258220,
                                           0.041340695955409294094,
                                           0.027677925684998339149,
                                           0.020790672103765093112,
                                           0.016644691189821192163,
                                           0.013876128823070747999,
                                           0.011896709945891770095,
                                           0.010411265261972096497,
                                           0.0092554621827127329177,
                                           0.0083305634333628712565,
                                           0.0075736754879518407950,
                                           0.0069428401072095298657,
                                           0.0064089941880042070684,
                                           0.0059513701127588477356,
                                           0.0055547335519628013710};

// The same for n >= 1, within 2 u: the series alternates, and its next term is 691 / (360360 n^11).
double stirling_rest(double n) {
  if (n < 16) return few_rests[static_cast<std::size_t>(n)];
  const double s = 1 / (n * n);
  return (1.0 / 12 - s * (1.0 / 360 - s * (1.0 / 1260 - s * (1.0 / 1680 - s / 1188)))) / n;
}

// P(X >= k) where `up`, else P(X <= k), for k on that side of the mean.
Interval beyond(double k, double n, const Chance& chance, bool up) {
  const Ball first = log_binomial(k, n, chance);
  const RatioSum sum = sum_of_ratios(k, n, chance, up);
  const double error = first.error + sum.error + 8 * u;  // of the logarithm; proof: binomial-tails
  const double above = math::exp(first.value) * (sum.value + sum.rest), below = math::exp(first.value) * sum.value;
  return {std::max(0.0, below * (1 - 2 * error) - 1e-300), std::min(1.0, above * (1 + 2 * error) + 1e-300)};
}

Interval complement(const Interval& x) { return {down(1 - x.upper), std::min(1.0, up(1 - x.lower))}; }

// P(X >= k), or P(X <= k).
Interval tail(double k, double n, const Chance& chance, bool up) {
  if (up ? k <= 0 : k >= n) return {1, 1};
  if (up ? k > n : k < 0) return {0, 0};
  const bool is_far = up ? k >= n * chance.p : k <= n * chance.p;
  return is_far ? beyond(k, n, chance, up) : complement(tail(up ? k - 1 : k + 1, n, chance, !up));
}

// A zero in p of log P(X <= k) - log alpha, or of log P(X >= k) - log alpha, about: Newton within a bracket.
double near_limit(double k, double n, double alpha, bool up) {
  double low = 0, high = 1;
  const double spread = std::sqrt(std::max(1.0, k * (n - k) / n)) * std::sqrt(-2 * math::log(alpha)) / n;
  double p = std::clamp(k / n + (up ? -spread : spread), 0.25 / n, 1 - 0.25 / n);
  for (int i = 0; i < 200 && low < high; ++i) {
    const Interval found = tail(k, n, Chance::of(p), up);
    const double value = math::log(std::max(found.upper, 1e-300)) - math::log(alpha);
    ((value > 0) == up ? high : low) = p;
    const double density = math::exp(log_binomial(k, n, Chance::of(p)).value);
    const double slope = (up ? k / p : -(n - k) / (1 - p)) * density / std::max(found.upper, 1e-300);
    const double newton = p - value / slope;
    if (std::fabs(newton - p) <= 1e-15 * p) return p;
    const double next = newton > low && newton < high ? newton : low + (high - low) / 2;
    if (next == p || !(next > 0 && next < 1)) return p;
    p = next;
  }
  return p;
}

// Moves the limit outwards until the tail there is certified to be at most alpha.
double limit(double k, double n, double alpha, bool up) {
  const double p = near_limit(k, n, alpha, up);
  for (double step = 1e-15 * std::min(p, 1 - p) + 0x1p-54 * p;; step *= 2) {
    const double at = up ? p - step : p + step;
    if (at <= 0) return 0;
    if (at >= 1) return 1;
    if (tail(k, n, Chance::of(at), up).upper <= alpha) return at;  // proof: binomial-tails
  }
}

}  // namespace

Chance Chance::of(double p) {
  const double q = 1 - p;
  return p <= 0.5 ? Chance{p, q, math::log(p), math::log1p(-p)} : Chance{p, q, math::log1p(-q), math::log(q)};
}

Chance Chance::of_odds(double epsilon) {
  const double lost = math::exp(-epsilon), log_p = -math::log1p(lost);
  return {1 / (1 + lost), lost / (1 + lost), log_p, log_p - epsilon};
}

// k (log p - log(k / n)) + (n - k) (log q - log((n - k) / n)) + log(n / (2 pi k (n - k))) / 2, and the remainders of
// Stirling's formula. The smaller of both shares is rounded by u, and the other one's logarithm is that of 1 - share.
Ball log_binomial(double k, double n, const Chance& chance) {
  const double few = std::min(k, n - k), share = few / n;
  const double log_few = few == 0 ? 0 : math::log(share), log_most = math::log1p(-share);
  const double with = k * chance.log_p, without = (n - k) * chance.log_q;
  const double own = few * log_few + (n - few) * log_most;
  const double rounding = 8 * (std::fabs(with) + std::fabs(without) + std::fabs(own)) + 4 * few;
  const double power = (with - few * log_few) + (without - (n - few) * log_most);
  if (few == 0) return {power, rounding * u};  // proof: binomial-tails
  const double rests = stirling_rest(n) - stirling_rest(k) - stirling_rest(n - k);
  const double scale = 0.5 * (math::log(n / k / (n - k)) - log_two_pi);
  const double value = power + (scale + rests);
  return {value, (rounding + 16 + 4 * (std::fabs(scale) + std::fabs(value))) * u};  // proof: binomial-tails
}

RatioSum sum_of_ratios(double k, double n, const Chance& chance, bool up) {
  const double odds = up ? chance.p / chance.q : chance.q / chance.p;
  double term = 1, value = 1, moment = 0, j = up ? k : n - k, steps = 0;
  for (; j < n; ++j) {
    checkpoint_each<4096>(static_cast<std::size_t>(steps));
    const double ratio = (n - j) / (j + 1) * odds;
    term *= ratio;
    ++steps;
    value += term;
    moment += steps * term;
    if (ratio < 1 && term < 1e-18 * value * (1 - ratio)) break;
  }
  // The next ratios are smaller. Each ratio is within 12 u of itself; a sum of `steps` terms is within `steps` u.
  const double next = j + 1 < n ? (n - j - 1) / (j + 2) * odds : 0;
  const double rest = next < 1 ? term * next / (1 - next) * (1 + 64 * u) : 0;  // proof: binomial-tails
  return {value, (12 * moment / value + steps + 2) * (1 + 1e-6) * u, rest};    // proof: binomial-tails
}

Interval binomial_at_least(double k, double n, const Chance& chance) { return tail(k, n, chance, true); }
Interval binomial_at_most(double k, double n, const Chance& chance) { return tail(k, n, chance, false); }

double rate_above(double successes, double trials, double alpha) {
  return successes >= trials ? 1 : limit(successes, trials, alpha, false);
}

double rate_below(double successes, double trials, double alpha) {
  return successes <= 0 ? 0 : limit(successes, trials, alpha, true);
}

}  // namespace hockeystick
