// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms on the same records, released together.
#pragma once

#include "mechanisms/registry.hpp"

namespace hockeystick {

/// The ratio of shift to noise of all mechanisms together, the root of the sum of count / noise^2; within u (1 + 2^-20)
/// of itself. Parameters: noise multipliers in [5e-4, 1e12], then as many counts in [1, 1e18].
double joint_mu(Parameters parameters);

}  // namespace hockeystick
