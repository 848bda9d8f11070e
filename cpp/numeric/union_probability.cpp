// SPDX-License-Identifier: Apache-2.0
#include "numeric/union_probability.hpp"

#include <algorithm>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double relative = 8 * unit_roundoff, absolute = 4 * smallest_subnormal;  // proof: union-probability

// A value <= 0 within 4 u and two subnormal numbers of the truth, moved down or up beyond the truth; -inf stays.
double moved_down(double x) { return x * (1 + relative) - absolute; }
double moved_up(double x) { return std::min(0.0, x * (1 - relative) + absolute); }

}  // namespace

void UnionProbability::add(double lower, double upper, double count) {
  if (upper <= 0 || count <= 0) return;
  certain_ = certain_ || lower >= 1;
  log_none_lower_ = down(log_none_lower_ + down(count * moved_down(math::log1p(-std::min(1.0, upper)))));
  const double most = moved_up(math::log1p(-std::clamp(lower, 0.0, 1.0)));
  if (most < 0) log_none_upper_ = std::min(0.0, up(log_none_upper_ + up(count * most)));
}

double UnionProbability::lower() const {
  if (certain_) return 1;
  if (!(log_none_upper_ < 0)) return 0;
  // proof: union-probability
  const double by_complement = down(1 + moved_down(-math::exp(log_none_upper_)));  // the better one next to 1
  // proof: union-probability
  return std::clamp(std::max(-moved_up(math::expm1(log_none_upper_)), by_complement), 0.0, down(1.0));
}

double UnionProbability::upper() const {
  return log_none_lower_ < 0 ? std::min(1.0, -moved_down(math::expm1(log_none_lower_))) : 0;
}

bool UnionProbability::is_at_most(double probability) const {
  return probability >= 1 || log_none_lower_ >= moved_up(math::log1p(-probability));  // proof: union-probability
}

bool UnionProbability::exceeds(double probability) const {
  if (!(probability < 1)) return false;
  return certain_ || log_none_upper_ < moved_down(math::log1p(-probability));  // proof: union-probability
}

}  // namespace hockeystick
