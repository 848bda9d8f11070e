// SPDX-License-Identifier: Apache-2.0
// The trade-off curve of a composition: the largest true positive rate at each false positive rate.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// Encloses the largest true positive rate of a test at each false positive rate in [0, 1], for the worst direction.
/// The width is at most tolerance times the smaller of the true positive and the false negative rate; false negative
/// rates below 1e-6 count as 1e-6. `reverses`: of each direction its reverse, which answers deltas at negative losses;
/// empty if these are not known.
std::vector<Answer> power_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                 std::span<const double> fprs, const Limits& limits);

}  // namespace hockeystick
