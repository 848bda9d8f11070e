// SPDX-License-Identifier: Apache-2.0
// If rare huge losses of single steps determine delta, the run is planned with every step's losses capped ("closed") at
// the largest loss that the answer depends on. cpp/proofs/closed-support.md bounds the effect.
#pragma once

#include "mechanisms/composition.hpp"
#include "numeric/interval.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// A loss of a step above `top` counts as mass at `top` and at +inf, with the same P- and Q-mass. The finite losses of
/// the other steps add up to at least `least`: always if `tilt` is 0, else with the probability that Chernoff's
/// inequality gives at -tilt. No step is closed if top is inf.
struct Closing {
  double top = infinity, least = 0, tilt = 0;  // [nats]
};

/// The closing for answers up to an epsilon, if delta may grow by e^log_lost. `whole`: cumulants of all losses.
Closing closing_at(const Direction& direction, const Saddlepoint& whole, double epsilon, double log_lost);

}  // namespace hockeystick
