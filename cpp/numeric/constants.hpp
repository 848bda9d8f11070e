// SPDX-License-Identifier: Apache-2.0
// Constants of double arithmetic that every layer uses.
#pragma once

#include <limits>

namespace hockeystick {

/// u: |fl(x op y) - (x op y)| <= u |x op y| for + - * / sqrt, round to nearest, no under- or overflow.
inline constexpr double unit_roundoff = 0x1p-53, u = unit_roundoff;

/// The smallest positive double. Underflow of a product or quotient errs by at most half of this.
inline constexpr double smallest_subnormal = 0x1p-1074;

inline constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace hockeystick
