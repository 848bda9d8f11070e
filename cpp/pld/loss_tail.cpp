// SPDX-License-Identifier: Apache-2.0
#include "pld/loss_tail.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {
namespace {

// The chord to a' = e^loss < a meets alpha = 0 at (h(a') - r h(a)) / (1 - r), r = a' / a; not below the tangent.
double chord_above(double value, double loss, double delta_lower, double eps) {
  const double away = loss - eps;
  // proof: loss-tail-chords
  const double numerator = value - math::exp(away) * (1 - 8 * u) * delta_lower + 2 * smallest_subnormal;
  return numerator * (1 + 8 * u) / -math::expm1(away * (1 - 4 * u)) * (1 + 8 * u);  // proof: loss-tail-chords
}

// The chord to a'' > a meets it at (h(a) - r h(a'')) / (1 - r), r = a / a''; not above.
double chord_below(double value, double loss, double delta_lower, double eps) {
  const double away = eps - loss;
  // proof: loss-tail-chords
  const double numerator = delta_lower - math::exp(away) * (1 + 8 * u) * value - 2 * smallest_subnormal;
  return numerator * (1 - 8 * u) / -math::expm1(away * (1 + 4 * u)) * (1 - 8 * u);  // proof: loss-tail-chords
}

// loss_k - eps, its sign exact.
double distance(const LossPmf& pmf, std::size_t k, double eps) {
  const auto index = static_cast<double>(pmf.first + static_cast<std::int64_t>(k));
  const auto [product, product_error] = two_product(pmf.interval, index);
  const auto [loss, loss_error] = two_sum(pmf.offset, product);
  return (loss - eps) + (product_error + loss_error);
}

// The step to the next length: the best chord is flat around its length, so 8 % steps suffice.
std::size_t farther(std::size_t away) { return away + away / 12 + 1; }

}  // namespace

Interval loss_tail(const CurveKinks& upper, double delta_lower, double eps) {
  Interval tail{std::max(0.0, delta_lower), 1.0};
  const auto at = std::lower_bound(upper.loss.begin(), upper.loss.end(), eps) - upper.loss.begin();
  const auto position = static_cast<std::size_t>(at);
  for (std::size_t away = 1; away <= position; away = farther(away)) {
    const std::size_t k = position - away;
    tail.upper = std::min(tail.upper, chord_above(upper.value[k], upper.loss[k], tail.lower, eps));
    if (k == 0) break;
  }
  const double delta = tail.lower;
  for (std::size_t k = position; k < upper.loss.size(); k = position + farther(k - position)) {
    if (!(upper.loss[k] > eps)) continue;
    tail.lower = std::max(tail.lower, chord_below(upper.value[k], upper.loss[k], delta, eps));
  }
  return tail;
}

double bucket_tail(const LossPmf& pmf, double eps) {
  const bool upper = pmf.side == Side::upper;
  const double error = pmf.loss_error * (1 + 4 * u), beyond = upper ? -error : error;  // proof: loss-tail-buckets
  CompensatedSum sum;
  double lost = 0, factor = 0;
  for (std::size_t k = pmf.mass.size(); k-- > 0 && distance(pmf, k, eps) > beyond;) {
    checkpoint_each<8192>(k);
    const double loss = pmf.loss(k);
    factor = std::max(factor, untilting_factor(pmf, loss));
    const double mass = pmf.mass[k] * untilting_factor(pmf, loss);
    const double relative = (24 + 2 * std::fabs(pmf.tilt * loss) + 2 * std::fabs(pmf.tilt * pmf.offset)) * u;
    lost += untilting_factor(pmf, loss) * pmf.point_error * (1 + 2 * relative) + std::fabs(mass) * relative;
    sum.add(mass);
  }
  lost = (lost + sum.error_bound()) * (1 + 1e-9);  // proof: loss-tail-buckets
  if (!upper) {
    const double finite = std::max(0.0, sum.value() - lost - factor * pmf.wrapped * (1 + 1e-9));
    return lowered(finite + pmf.infinity_mass, 8 * u);
  }
  const bool all = distance(pmf, 0, eps) > beyond;  // the masses below the window are unknown
  // proof: loss-tail-buckets
  return all ? 1.0 : std::min(1.0, (sum.value() + lost + pmf.tail_above + pmf.infinity_mass) * (1 + 4 * u));
}

Interval loss_tail_quantile(const CurveKinks& upper, const CurveTable& lower, double tail) {
  const auto at = [&](double loss) { return loss_tail(upper, lower.delta(loss).value, loss); };
  const auto certainly_below = [&](double loss) { return at(loss).upper <= tail; };
  const auto certainly_above = [&](double loss) { return at(loss).lower > tail; };
  // P(L > t) falls, so every point that the search meets is certified.
  const double first = upper.loss.front(), last = upper.loss.back();
  const double precision = 1e-4 * (last - first) / static_cast<double>(upper.loss.size());
  Interval found{-infinity, infinity};
  for (double low = first, high = last; high - low > precision;) {
    checkpoint();
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) break;
    if (certainly_below(middle))
      found.upper = high = middle;
    else
      low = middle;
  }
  for (double low = first, high = last; high - low > precision;) {
    checkpoint();
    const double middle = low + (high - low) / 2;
    if (!(low < middle && middle < high)) break;
    if (certainly_above(middle))
      found.lower = low = middle;
    else
      high = middle;
  }
  return found;
}

}  // namespace hockeystick
