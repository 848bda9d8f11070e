// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "account/question.hpp"

namespace hockeystick {

/// The same answers as the engine's passes, from a few dozen moments of each term; nothing where a term's loss has
/// no density, or where the certificate does not close within the tolerance at a cost below a transform's. Neither an
/// empty direction nor a delta or epsilon of 0.
std::optional<Answer> contour_epsilon_bounds(std::span<const Direction> directions, double delta, const Limits& limits);
std::optional<Answer> contour_delta_bounds(std::span<const Direction> directions, double epsilon, const Limits& limits);

}  // namespace hockeystick
