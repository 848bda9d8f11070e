// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
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

/// Throws std::invalid_argument unless it is empty or the name of a method.
void check_method(std::string_view name);

/// In the order in which they are asked for a forecast.
std::vector<std::string_view> method_names();

}  // namespace hockeystick
