// SPDX-License-Identifier: Apache-2.0
// Masses of a discrete law that are too small for the full precision of doubles.
#pragma once

#include "mechanisms/discrete/atomic_pair.hpp"

namespace hockeystick {

/// Bound of the underflow in a mass.
inline constexpr double tiny = 1e-307;

/// The law with what its atoms say of the suprema of L and -L, and with masses of finite losses that underflow may have
/// spoilt set to 0 and counted as cut.
AtomicLaw without_small_masses(AtomicLaw given);

}  // namespace hockeystick
