// SPDX-License-Identifier: Apache-2.0
// What the rows of random allocations, whose arguments are steps and epochs, and of selected steps share.
#pragma once

#include "mechanisms/described/rows.hpp"

namespace hockeystick::rows::allocations {

inline constexpr Range of_series{0.2, 1000};  // noise multipliers of the Fourier series

inline void check_allocated(Comparison way) {
  if (replaces(way)) throw NoPair("no pair is proved to dominate it");
}

PairName largest_allocated(const Described& one, Comparison way);

extern const Enclosure allocation;

}  // namespace hockeystick::rows::allocations
