// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// Certified upper bound of delta(epsilon) by Chernoff's inequality alone, without a transform:
/// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y), K of connect-the-dots steps, at the tilt of `at`. Infinite
/// where it cannot serve. Loose by about tilt * deviation * 2.5, and by as much as the factor e^coarse for its coarse
/// steps, which are the fewer.
double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon,
                      double coarse = 0.1);

/// Where Chernoff's inequality may show that delta(epsilon) is below `smallest`: its log is at most `log_delta`, about,
/// without losses so rare that they do not matter to that, which rule the moments long before they do.
struct FarBelow {
  FarBelow(const Saddlepoint& whole, double epsilon, double smallest);
  Saddlepoint sketch;
  Saddle at;
  double log_delta;
};

/// Upper bound of E_P[e^(-t L)], the integral of P^(1 - t) Q^t, 0 < t < 1. Loose by e^-80 and the variance within cells
/// of a hundredth of the loss.
double negative_moment_above(const DominatingPair& pair, double t);

}  // namespace hockeystick
