// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/gaussian_tradeoff.hpp"

#include <algorithm>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double error = 2 * normal_error;
constexpr double tiny = 1e-307;

// For x < 0 the error of the complement is relative to P(Z > -x), and one rounding of the difference.
double tail_above(double x) {
  if (x >= 0) return normal_tail(x) * (1 + error) + tiny;
  return up(1 - normal_tail(-x) * (1 - error));
}

double tail_below(double x) {
  if (x >= 0) return normal_tail(x) * (1 - error) - tiny;
  return down(1 - normal_tail(-x) * (1 + error) - tiny);
}

}  // namespace

Interval gaussian_power(double mu, double mu_error, double fpr) {
  const auto [low, high] = upper_normal_quantile(fpr);
  const double slack = mu * (mu_error + 2 * unit_roundoff);
  const double farthest = up(up(high - mu) + slack), nearest = down(down(low - mu) - slack);
  return {std::clamp(tail_below(farthest), 0.0, 1.0), std::min(1.0, tail_above(nearest))};
}

Interval gaussian_mu_of(double fpr, double power) {
  const auto at_fpr = upper_normal_quantile(fpr), at_power = upper_normal_quantile(power);
  return {down(at_fpr.lower - at_power.upper), up(at_fpr.upper - at_power.lower)};
}

// mu = 2 z with P(Z > z) = 1 / (1 + e^epsilon): the exponential, the sum and the quotient round it by less than 4 u.
double pure_mu_above(double epsilon) {
  if (checked("epsilon", epsilon, {0, 600}) == 0) return 0;
  const double rate = 1 / (1 + math::exp(epsilon)) * (1 - 8 * unit_roundoff);  // proof: pure-gaussian-dp
  return 2 * upper_normal_quantile(rate).upper;
}

}  // namespace hockeystick
