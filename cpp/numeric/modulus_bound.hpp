// SPDX-License-Identifier: Apache-2.0
// How much of a characteristic function is left on a whole range of frequencies.
#pragma once

#include <span>

namespace hockeystick {

/// The part of 1 - |.|^2 that the bound spends on what lies between two frequencies, about.
inline constexpr double modulus_bound_spends = 0.4;

/// Upper bound of |sum m_i e^(i w x_i)| / sum m_i for every w in [from, to], 0 < from <= to; 1 where a bound would take
/// too long. Masses are positive.
double modulus_bound(std::span<const double> masses, std::span<const double> places, double from, double to);

}  // namespace hockeystick
