// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "account/question.hpp"

namespace hockeystick {

/// Encloses the smallest epsilon >= 0 at which the worst of the directions has delta(epsilon) <=
/// delta. 0 < delta < 1.
Answer epsilon_bounds(std::span<const Direction> directions, double delta, const Limits& limits);

/// Encloses delta(epsilon), the largest over the directions. epsilon >= 0, finite.
Answer delta_bounds(std::span<const Direction> directions, double epsilon, const Limits& limits);

}  // namespace hockeystick
