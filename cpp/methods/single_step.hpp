// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// Encloses delta(epsilon) of a pair run once by the pair's own integrals, without a grid. epsilon >= 0.
Interval single_step_delta(const DominatingPair& pair, double epsilon);

/// Encloses the smallest epsilon >= 0 with delta(epsilon) <= delta, to about 1e-13 relative if the loss is continuous;
/// inf if there is none.
Interval single_step_epsilon(const DominatingPair& pair, double delta);

}  // namespace hockeystick
