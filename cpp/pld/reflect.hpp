// SPDX-License-Identifier: Apache-2.0
// The privacy loss distribution of the reversed pair.
#pragma once

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The distribution of the reversed pair (Q, P): P-mass m at loss l becomes m e^-l at -l, Q-mass at -inf becomes mass
/// at +inf. In tilted form the masses stay and the tilt becomes -1 - tilt, so nothing is rounded.
LossPmf reflected(const LossPmf& pmf);

}  // namespace hockeystick
