// SPDX-License-Identifier: Apache-2.0
// The delta of a single step, straight from the integrals of its pair.
#pragma once

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Upper bound of one step's delta(epsilon), for any finite epsilon, from the cell without an upper end. Relative
/// accuracy; at least 1e-307.
double pair_delta_above(const DominatingPair& pair, double epsilon);

}  // namespace hockeystick
