// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// For each rate r in [1e-20, 0.5): encloses the smallest mu >= 0 such that no test of which both error rates are
/// at least r beats N(mu, 1) against N(0, 1). The directions must come with their reverses.
std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const double> smallest_rates,
                               const Limits& limits);

}  // namespace hockeystick
