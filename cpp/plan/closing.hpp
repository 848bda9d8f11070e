// SPDX-License-Identifier: Apache-2.0
// Where single steps with rare huge losses decide, a run is planned as if no step had larger losses than matter.
#pragma once

#include "mechanisms/composition.hpp"
#include "numeric/interval.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// Losses of steps above `top` count as there and at +inf: the finite losses of the others add up to `least` at least,
/// for certain where `tilt` is 0, else by Chernoff's inequality at -tilt. No step is closed if top is inf.
struct Closing {
  double top = infinity, least = 0, tilt = 0;  // [nats]
};

/// For answers up to an epsilon, where a growth of delta by e^log_lost does not matter. `whole`: of all losses.
Closing closing_at(const Direction& direction, const Saddlepoint& whole, double epsilon, double log_lost);

}  // namespace hockeystick
