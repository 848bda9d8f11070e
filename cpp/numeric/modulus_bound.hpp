// SPDX-License-Identifier: Apache-2.0
// An upper bound of a characteristic function's modulus over a whole range of frequencies.
#pragma once

#include <span>

namespace hockeystick {

/// The part of 1 - |.|^2 by which the function may change between two frequencies, about.
inline constexpr double modulus_bound_spends = 0.4;

/// Upper bound of |sum m_i e^(i w x_i)| / sum m_i for every w in [from, to], 0 < from <= to; 1 where a bound would take
/// too long. Masses are positive.
double modulus_bound(std::span<const double> masses, std::span<const double> places, double from, double to);

}  // namespace hockeystick
