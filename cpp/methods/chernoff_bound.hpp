// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "forecast/saddlepoint.hpp"

namespace hockeystick {

/// Certified upper bound of delta(epsilon) by Chernoff's inequality alone, without a transform:
/// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y), K of connect-the-dots steps, at the tilt of `at`. Infinite
/// where it cannot serve. Loose by about tilt * deviation * 2.5, and by as much as the factor e^coarse for its coarse
/// steps, which are the fewer.
double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon,
                      double coarse = 0.1);

}  // namespace hockeystick
