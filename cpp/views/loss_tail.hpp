// SPDX-License-Identifier: Apache-2.0
// The tail P(L > epsilon) and the quantiles of a composition's privacy loss L.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// Encloses P(L > epsilon) at each epsilon, for the worst direction; relative width.
std::vector<Answer> loss_tail_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                     std::span<const double> epsilons, const Limits& limits);

/// Encloses the smallest t with P(L <= t) >= level at each level in (0, 1), for the worst direction. The tolerance is a
/// fraction of the forecast standard deviation of L. `reverses`: of each direction its reverse, which answers deltas at
/// negative losses; empty if these are not known.
std::vector<Answer> loss_quantile_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                         std::span<const double> levels, const Limits& limits);

}  // namespace hockeystick
