// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// Encloses, for each delta, the smallest epsilon >= 0 at which the worst of the directions has
/// delta(epsilon) <= delta. 0 < delta < 1.
std::vector<Answer> epsilon_bounds(std::span<const Direction> directions, std::span<const double> deltas,
                                   const Limits& limits);

/// Encloses delta(epsilon), the largest over the directions, at each epsilon. epsilon >= 0, finite.
std::vector<Answer> delta_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits);

}  // namespace hockeystick
