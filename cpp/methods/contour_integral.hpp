// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// The same answers as the engine's passes, from a few dozen moments of each term; none where a term's loss has
/// no density, or where the certificate does not close within the tolerance at a cost below a transform's. No empty
/// direction; deltas in (0, 1), epsilons >= 0. Values of one call share their sums where these serve several.
/// Returns for each value whether there is an answer.
std::vector<bool> contour_answers(std::span<const Direction> directions, bool wants_epsilon,
                                  std::span<const double> values, const Limits& limits, std::span<Answer> answers);

}  // namespace hockeystick
