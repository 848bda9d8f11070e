// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numeric/interval.hpp"

namespace hockeystick {

/// To about 1e-14 (1 + |z|) for p in [1e-290, 1 - u]. Each end is certified by the tail computed there.
Interval upper_normal_quantile(double p);

}  // namespace hockeystick
