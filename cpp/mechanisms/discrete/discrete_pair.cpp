// SPDX-License-Identifier: Apache-2.0
// Any two distributions on finitely many outcomes, given by weights: p_i / sum p against q_i / sum q.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// log(a / b) for positive a, b. Within a factor of two a - b is exact (Sterbenz): the quotient's u, which log1p carries
// with a factor of at most 1.45, and log1p's own 4 u make 6 u of the result. Elsewhere u of the quotient and 4 u of the
// logarithm make no more, as |log| > log 2. Where the quotient leaves the range of doubles, each logarithm has 4 u and
// |log a| + |log b| <= 2 |log(a / b)| + 1: 10 u in all.
double log_ratio(double a, double b) {
  if (a >= b / 2 && b >= a / 2) return math::log1p((a - b) / b);
  const double ratio = a / b;
  return ratio > 1e-300 && ratio < 1e300 ? math::log(ratio) : math::log(a) - math::log(b);
}

// The sum of the weights is value + rest, within error; rest and error are relative to value.
struct Total {
  double value, rest, error;
};

Total total(Parameters weights) {
  CompensatedSum sum;
  for (const double weight : weights) sum.add(weight);
  const double value = sum.value();
  sum.add(-value);
  return {value, sum.value() / value, sum.error_bound() / value + u * u};
}

// The loss is log(p_i / q_i) + log(sum q / sum p). Masses: u for the rest of the sum and u for the quotient.
AtomicLaw discrete_pair(Parameters weights) {
  const std::size_t n = weights.size() / 2;
  const Parameters p = weights.first(n), q = weights.last(n);
  if (weights.size() % 2 ||
      !std::all_of(weights.begin(), weights.end(), [](double w) { return w >= 0 && w < infinity; }))
    throw std::invalid_argument("weights must be two equally long lists of finite numbers >= 0");
  const auto [p_sum, p_rest, p_error] = total(p);
  const auto [q_sum, q_rest, q_error] = total(q);
  if (!(p_sum > 0 && p_sum < infinity && q_sum > 0 && q_sum < infinity))
    throw std::invalid_argument("weights must have finite sums > 0");
  const double shift = log_ratio(q_sum, p_sum) + (q_rest - p_rest);  // log(1 + rest) to rest^2 <= 2 u^2
  AtomicLaw law;
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (p[i] == 0 && q[i] == 0) continue;
    const double own = p[i] == 0 ? -infinity : q[i] == 0 ? infinity : log_ratio(p[i], q[i]);
    if (std::isfinite(own)) largest = std::max(largest, std::fabs(own));
    law.atoms.push_back({own + shift, p[i] / p_sum, q[i] / q_sum});
  }
  law.mass_error = 3 * u + std::max(p_error, q_error);  // proof: discrete-laws
  // proof: discrete-laws
  law.loss_error = 14 * u * (largest + std::fabs(shift)) + 1.01 * (p_error + q_error) + 8 * u * u;
  return law;
}

// Parameters: the weights of p, then those of q.
const AtomicRegistration registration(discrete_pair, "discrete_pair", std::nullopt);

}  // namespace
}  // namespace hockeystick
