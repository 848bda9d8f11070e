// SPDX-License-Identifier: Apache-2.0
#include "pld/tradeoff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

PowerBound power_above(const CurveKinks& upper, double fpr) {
  PowerBound best{1.0, -infinity};  // alpha -> 0
  for (std::size_t k = 0; k < upper.value.size(); ++k) {
    const double sum = upper.value[k] + upper.alpha[k] * fpr;
    if (sum < best.value) best = {sum, upper.loss[k]};
  }
  best.value = std::min(1.0, best.value * (1 + 4 * u) + 1e-307);
  return best;
}

// Between neighbouring kinks the curve f is linear, so that f(alpha) + alpha fpr is smallest at one of them;
// where f is below the floor at either, floor + alpha fpr is left, and above the last kink too. Below the first,
// h >= 1 - alpha leaves 1 - alpha (1 - fpr).
PowerBound power_below(const CurveKinks& lower, double fpr, const PowerBound& above) {
  const std::size_t size = lower.value.size();
  PowerBound best{lower.floor + lower.alpha[size - 1] * fpr, lower.loss[size - 1]};
  const auto take = [&](double value, std::size_t k) {
    if (value < best.value) best = {value, lower.loss[k]};
  };
  bool finished = false, was_above = false;
  for (std::size_t k = size; k-- > 0;) {
    const bool above_floor = lower.value[k] >= lower.floor;
    const double line = lower.alpha[k] * fpr;
    const double sum = lower.value[k] + line;
    if (k + 1 < size) take(above_floor && was_above ? sum : lower.floor + line, k);
    was_above = above_floor;
    if (above_floor && lower.loss[k] + 2 * lower.slack < above.loss && sum * (1 - 4 * u) >= above.value) {
      finished = true;
      break;
    }
  }
  if (!finished) {
    const double first = std::exp(lower.loss.front() + lower.slack) * (1 + 8 * u);
    take(1 - first * (1 - fpr) - 4 * u, 0);
  }
  best.value = std::clamp(best.value * (1 - 4 * u) - 1e-307, 0.0, 1.0);
  return best;
}

}  // namespace hockeystick
