// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Upper bound of one step's delta(epsilon), any finite epsilon, from the cell that has no upper end. Relative
/// accuracy; not below 1e-307.
double pair_delta_above(const DominatingPair& pair, double epsilon);

}  // namespace hockeystick
