// SPDX-License-Identifier: Apache-2.0
#include "methods/largest_loss.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// The sum of n_j b_j is value + error, within `off`; infinite if some pair has no largest finite loss.
struct LargestSum {
  double value = 0, error = 0, off = 0;

  /// The sum less epsilon, rounded outwards.
  Interval above(double epsilon) const {
    if (std::isinf(value)) return {infinity, infinity};
    const auto [apart, rounded] = two_sum(value, -epsilon);
    return {down(apart + down(down(rounded + error) - off)), up(apart + up(up(rounded + error) + off))};
  }
};

template <class LossOf>
LargestSum sum_of(const Direction& direction, LossOf&& loss_of) {
  LargestSum sum;
  double errors = 0;
  for (const Term& term : direction) {
    const double bound = loss_of(*term.pair);
    const auto [most, lost] = two_product(static_cast<double>(term.count), bound);
    if (!(std::fabs(most) < 0x1p900)) return {infinity, 0, 0};
    const auto [next, rounded] = two_sum(sum.value, most);
    sum.value = next;
    sum.error += lost + rounded;  // proof: next-to-largest-loss
    errors += std::fabs(lost) + std::fabs(rounded);
    if (most != 0 && std::fabs(most) < 0x1p-900) sum.off += 2 * u * std::fabs(most) + smallest_subnormal;
  }
  sum.off = (sum.off + 4 * u * static_cast<double>(direction.size() + 1) * errors) * (1 + 4 * u);
  return sum;
}

LargestSum sum_of_largest(const Direction& direction) {
  return sum_of(direction, [](const DominatingPair& pair) { return pair.finite_loss_bound(); });
}

}  // namespace

Interval left_to_largest(const Direction& direction, double epsilon) {
  return sum_of_largest(direction).above(epsilon);
}

double largest_finite_loss(const Direction& direction) {
  const LargestSum sum = sum_of_largest(direction);
  // proof: next-to-largest-loss
  return sum.error + sum.off <= 0 ? sum.value : up(sum.value + up(sum.error + sum.off));
}

// The steps are independent, so the largest losses of all occur at once, or nearly: delta(epsilon) is 0 from their sum
// on, and not below.
Interval essential_supremum(const Direction& direction) {
  const auto is_finite = [](const Term& term) { return term.pair->has_no_infinite_loss(); };
  const bool bounded = std::all_of(direction.begin(), direction.end(), is_finite);
  const LargestSum least =
      sum_of(direction, [](const DominatingPair& pair) { return std::max(0.0, pair.largest_loss_from_below()); });
  if (std::isinf(least.value)) return {infinity, infinity};
  const bool is_below = least.error - least.off >= 0;
  // proof: largest-loss
  return {is_below ? least.value : down(least.value + down(least.error - least.off)),
          bounded ? largest_finite_loss(direction) : infinity};
}

double largest_loss(const Direction& direction) {
  const auto is_bounded = [](const Term& term) { return std::isfinite(term.pair->loss_supremum()); };
  return std::all_of(direction.begin(), direction.end(), is_bounded) ? largest_finite_loss(direction) : infinity;
}

}  // namespace hockeystick
