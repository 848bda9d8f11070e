// SPDX-License-Identifier: Apache-2.0
// What the rows of random allocations, whose arguments are steps and epochs, and of selected steps share.
#pragma once

#include "mechanisms/described/rows.hpp"

namespace hockeystick::rows::allocations {

inline constexpr Range of_series{0.2, 1000};  // noise multipliers of the Fourier series

extern const Enclosure allocation;

}  // namespace hockeystick::rows::allocations
