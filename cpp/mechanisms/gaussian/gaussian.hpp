// SPDX-License-Identifier: Apache-2.0
// The Gaussian mechanism.
#pragma once

#include <memory>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// N(mu, 1) against N(0, 1): the Gaussian mechanism in noise units, mu = 1 / noise multiplier; its own reverse. L(x) =
/// mu x - mu^2/2. `mu_error` bounds the relative error of mu.
std::shared_ptr<const DominatingPair> gaussian_pair(double mu, double mu_error);

}  // namespace hockeystick
