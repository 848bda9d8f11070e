// SPDX-License-Identifier: Apache-2.0
// The Gaussian mechanism: its pair, and its moments on a line in closed form.
#pragma once

#include <memory>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// N(mu, 1) against N(0, 1): the Gaussian mechanism in noise units, mu = 1 / noise multiplier; its own reverse. L(x) =
/// mu x - mu^2/2. `mu_error` bounds the relative error of mu.
std::shared_ptr<const DominatingPair> gaussian_pair(double mu, double mu_error);

/// Its moments: M(z) = e^(mu^2 z (z + 1) / 2).
std::unique_ptr<MgfLine> gaussian_line(double mu, double mu_error, double tilt);

}  // namespace hockeystick
