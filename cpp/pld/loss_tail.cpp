// SPDX-License-Identifier: Apache-2.0
#include "pld/loss_tail.hpp"

#include <algorithm>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

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

// The step to the next length: the best chord is flat around its length, so 8 % steps suffice.
std::size_t farther(std::size_t away) { return away + away / 12 + 1; }

}  // namespace

Interval delta_from_zero(const Interval& at_zero, double eps) {
  const double lost = math::expm1(eps) * (1 + 8 * u);                 // proof: next-to-zero
  return {std::max(0.0, down(at_zero.lower - lost)), at_zero.upper};  // proof: next-to-zero
}

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

}  // namespace hockeystick
