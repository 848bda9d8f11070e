// SPDX-License-Identifier: Apache-2.0
// Upper ends of epsilon and delta by Renyi divergences alone, which every run has.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// Encloses the Renyi divergence of each order.
using RenyiBounds = std::function<std::vector<Answer>(std::span<const double> orders)>;

/// Lowers the upper ends of answers that did not meet the tolerance to the bound of Chernoff's inequality by Renyi
/// divergences: a refusal carries the least upper bound that is known. `points`: deltas if `wants_epsilon`, or
/// epsilons.
void bound_by_moments(std::span<const double> points, bool wants_epsilon, const RenyiBounds& renyi,
                      std::span<Answer> answers);

}  // namespace hockeystick
