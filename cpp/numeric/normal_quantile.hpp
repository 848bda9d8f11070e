// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hockeystick {

/// Encloses the z with P(Z > z) = p, 0 < p < 1, Z unit normal.
struct QuantileInterval {
  double lower, upper;
};

/// To about 1e-14 (1 + |z|) for p in [1e-290, 1 - u]. Each end is certified by the tail computed there.
QuantileInterval upper_normal_quantile(double p);

}  // namespace hockeystick
