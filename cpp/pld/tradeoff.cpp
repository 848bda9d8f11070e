// SPDX-License-Identifier: Apache-2.0
#include "pld/tradeoff.hpp"

#include <algorithm>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {}  // namespace

// Every kink gives a bound. The sum is convex except for rounding, so the least kink is next to the best of a coarse
// selection. Kinks at most a twentieth of a nat apart, over which the sum grows by at most 5 %, cannot miss a dip that
// matters.
PowerBound power_above(const CurveKinks& upper, double fpr) {
  const std::size_t size = upper.value.size();
  const double gap = (upper.loss.back() - upper.loss.front()) / static_cast<double>(std::max<std::size_t>(size, 2) - 1);
  const auto stride = static_cast<std::size_t>(std::clamp(0.05 / gap, 1.0, 64.0));
  PowerBound best{1.0, -infinity};  // alpha -> 0
  std::size_t nearest = 0;
  const auto look = [&](std::size_t from, std::size_t to, std::size_t step) {
    for (std::size_t k = from; k < to; k += step) {
      const double sum = upper.value[k] + upper.alpha[k] * fpr;
      if (!(sum < best.value)) continue;
      best = {sum, upper.loss[k]};
      nearest = k;
    }
  };
  look(0, size, stride);
  look(nearest - std::min(nearest, stride), std::min(size, nearest + stride), 1);
  best.value = std::min(1.0, best.value * (1 + 4 * u) + 1e-307);  // proof: power
  return best;
}

namespace {

// The kink to begin with: the last one or one from which the sum only grows. The sum of the true curve is convex, so a
// kink beyond the minimum of `above` with no smaller sum is one. A few steps, then increasing ones, lead there.
std::size_t beginning(const CurveKinks& lower, double fpr, const PowerBound& above) {
  const auto first = std::upper_bound(lower.loss.begin(), lower.loss.end(), above.loss);
  const std::size_t size = lower.value.size();
  std::size_t k = static_cast<std::size_t>(first - lower.loss.begin());
  for (std::size_t step = 16; k < size; k += step, step *= 2) {
    const double sum = std::max(lower.value[k], lower.floor) + lower.alpha[k] * fpr;
    if (sum * (1 - 8 * u) >= above.value) return k;
  }
  return size - 1;
}

}  // namespace

// Between neighbouring kinks the curve f is linear, so that f(alpha) + alpha fpr is smallest at one of them, or where f
// falls to the floor; above the last kink only the floor is left. Below the first, h >= 1 - alpha leaves 1 - alpha (1 -
// fpr).
PowerBound power_below(const CurveKinks& lower, double fpr, const PowerBound& above) {
  const std::size_t size = beginning(lower, fpr, above) + 1;
  PowerBound best{
      std::max(lower.floor, size < lower.value.size() ? lower.value[size - 1] : 0) + lower.alpha[size - 1] * fpr,
      lower.loss[size - 1]};
  const auto take = [&](double value, std::size_t k) {
    if (value < best.value) best = {value, lower.loss[k]};
  };
  bool finished = false;
  for (std::size_t k = size; k-- > 0;) {
    const double value = lower.value[k];
    if (value < lower.floor) {
      take(lower.floor + lower.alpha[k] * fpr, k);
      continue;
    }
    const double sum = value + lower.alpha[k] * fpr;
    take(sum, k);  // proof: power
    if (k + 1 < size && lower.value[k + 1] < lower.floor) {
      const double share = (value - lower.floor) / (value - lower.value[k + 1]);
      const double meeting = lower.alpha[k] + share * (1 - 8 * u) * (lower.alpha[k + 1] - lower.alpha[k]);
      take(lower.floor + meeting * fpr, k);
    }
    if (lower.loss[k] + 2 * lower.slack < above.loss && sum * (1 - 8 * u) >= above.value) {
      finished = true;
      break;
    }
  }
  if (!finished) {
    const double first = math::exp(lower.loss.front() + lower.slack) * (1 + 8 * u);
    take(1 - first * (1 - fpr) - 4 * u, 0);  // proof: power
  }
  best.value = std::clamp(best.value * (1 - 8 * u) - 1e-307, 0.0, 1.0);
  return best;
}

}  // namespace hockeystick
