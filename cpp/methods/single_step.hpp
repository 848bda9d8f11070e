// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// delta(epsilon) of a pair run once, enclosed by its own integrals: no grid, no transform. epsilon >= 0.
Interval single_step_delta(const DominatingPair& pair, double epsilon);

/// The smallest epsilon >= 0 with delta(epsilon) <= delta, enclosed to about 1e-13 relative where the loss is
/// continuous; inf where no epsilon will do.
Interval single_step_epsilon(const DominatingPair& pair, double delta);

}  // namespace hockeystick
