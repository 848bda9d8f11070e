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

// Between neighbouring kinks the curve f is linear, so that f(alpha) + alpha fpr is smallest at one of them, or where
// f falls to the floor; above the last kink the floor is left. Below the first, h >= 1 - alpha leaves
// 1 - alpha (1 - fpr).
PowerBound power_below(const CurveKinks& lower, double fpr, const PowerBound& above) {
  const std::size_t size = lower.value.size();
  PowerBound best{lower.floor + lower.alpha[size - 1] * fpr, lower.loss[size - 1]};
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
    take(sum, k);
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
    const double first = std::exp(lower.loss.front() + lower.slack) * (1 + 8 * u);
    take(1 - first * (1 - fpr) - 4 * u, 0);
  }
  best.value = std::clamp(best.value * (1 - 8 * u) - 1e-307, 0.0, 1.0);
  return best;
}

}  // namespace hockeystick
