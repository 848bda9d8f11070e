// SPDX-License-Identifier: Apache-2.0
#include "views/loss_laws.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

Interval rest_of(double level) { return {std::nextafter(1 - level, 0.0), std::nextafter(1 - level, 2.0)}; }

// L is normal with mean mu^2/2 and deviation mu: P(L > eps) = P(Z > eps / mu - mu / 2).
Interval gaussian_tail(double mu, double mu_error, double epsilon) {
  const double x = epsilon / mu - mu / 2;
  const double slack = (epsilon / mu + mu / 2) * (mu_error + 8 * u);
  return {std::max(0.0, normal_tail(x + slack) * (1 - 2 * normal_error) - 4 * u * (x < 0) - 1e-307),
          std::min(1.0, normal_tail(x - slack) * (1 + 2 * normal_error) + 4 * u * (x < 0) + 1e-307)};
}

Interval gaussian_quantile(double mu, double mu_error, double level) {
  const auto z = level >= 0.5 ? upper_normal_quantile(1 - level)
                              : Interval{-upper_normal_quantile(level).upper, -upper_normal_quantile(level).lower};
  const auto slack = [&](double x) { return (mu * mu + mu * std::fabs(x)) * (2 * mu_error + 8 * u); };
  return {mu * mu / 2 + mu * z.lower - slack(z.lower), mu * mu / 2 + mu * z.upper + slack(z.upper)};
}

Interval listed_tail(const Enumeration& sums, double epsilon) { return sums.tail(epsilon); }

Interval listed_quantile(const Enumeration& sums, double level) {
  const auto [least, most] = rest_of(level);
  return sums.quantile(least, most);
}

Interval joined_tail(const Participations& run, double epsilon) { return run.tail(epsilon); }

Interval joined_quantile(const Participations& run, double level) {
  const auto [least, most] = rest_of(level);
  return run.quantile(least, most);
}

}  // namespace hockeystick
