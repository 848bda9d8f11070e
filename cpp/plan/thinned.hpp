// SPDX-License-Identifier: Apache-2.0
// Forecasts of runs of very many distinct terms use a few of them, each with the count of the terms that are like it.
#pragma once

#include <cstddef>

#include "mechanisms/composition.hpp"

namespace hockeystick {

constexpr std::size_t most_forecast_terms = 128;

/// The direction itself if it has at most `most_forecast_terms` terms. Else the terms of the largest losses, and of the
/// others, in order of their variances, the middle one of each group of as many, with the count of the whole group.
Direction thinned(const Direction& direction);

/// `few` terms, evenly spread over those of the direction, with the counts of all.
Direction strided(const Direction& direction, std::size_t few);

}  // namespace hockeystick
