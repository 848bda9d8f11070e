// SPDX-License-Identifier: Apache-2.0
// Runs of very many distinct steps, for forecasts: a few stand for those that are alike.
#pragma once

#include <cstddef>

#include "mechanisms/composition.hpp"

namespace hockeystick {

constexpr std::size_t most_forecast_terms = 128;

/// The direction itself if it has no more terms than that; else the steps of the largest losses, and one of each group
/// of others whose losses have about the same mean, variance and top, run as often as all of the group. Neighbours that
/// bounds tell to be alike count as one from the start.
Direction thinned(const Direction& direction);

/// `few` terms, evenly spread over those of the direction, run about as often as all of them.
Direction strided(const Direction& direction, std::size_t few);

}  // namespace hockeystick
