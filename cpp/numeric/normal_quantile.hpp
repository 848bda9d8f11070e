// SPDX-License-Identifier: Apache-2.0
// Quantiles of the unit normal distribution, enclosed.
#pragma once

#include "numeric/interval.hpp"

namespace hockeystick {

/// The z with P(Z > z) = p, to about 1e-14 (1 + |z|) for p in [1e-290, 1 - u]. The tail computed at an end certifies
/// it.
Interval upper_normal_quantile(double p);

}  // namespace hockeystick
