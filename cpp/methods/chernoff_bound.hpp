// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// The saddle point at which Chernoff's inequality may show that delta(epsilon) is below `smallest`. Losses too rare to
/// lift delta above `smallest` are left out, because such losses may dominate the moments. `log_delta` is a forecast of
/// log delta.
struct FarBelow {
  FarBelow(const Saddlepoint& whole, double epsilon, double smallest);
  Saddlepoint sketch;
  Saddle at;
  double log_delta;
};

/// Upper bound of E_P[e^(-t L)], the integral of P^(1 - t) Q^t, 0 < t < 1. The bound exceeds the integral by e^-80 and
/// by the variance within cells.
double negative_moment_above(const DominatingPair& pair, double t);

}  // namespace hockeystick
