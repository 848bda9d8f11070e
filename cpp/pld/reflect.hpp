// SPDX-License-Identifier: Apache-2.0
// The privacy loss distribution of the reversed pair.
#pragma once

#include "numeric/interval.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The distribution of the reversed pair (Q, P): P-mass m at loss l becomes m e^-l at -l, Q-mass at -inf becomes mass
/// at +inf. In tilted form the masses stay and the tilt becomes -1 - tilt, so nothing is rounded.
LossPmf reflected(const LossPmf& pmf);

/// The hockey-stick curve at e^epsilon from that of the reversed pair at e^-epsilon: h(alpha) = 1 - alpha +
/// alpha h(1 / alpha).
Interval by_reverse(double epsilon, const Interval& back);

}  // namespace hockeystick
