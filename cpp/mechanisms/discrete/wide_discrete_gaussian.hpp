// SPDX-License-Identifier: Apache-2.0
// Discrete Gaussian noise with more integers than can be listed lies between two Gaussians.
#pragma once

#include <array>

namespace hockeystick {

/// The noise multipliers of Gaussians that cost at least, and at most, as much as discrete Gaussian noise whose mean a
/// record moves by `moved` or by twice that, at every epsilon. sigma is in [2e4, 9e11], `moved` a whole number in [1,
/// 1e6].
std::array<double, 2> gaussians_about(double sigma, double moved);

}  // namespace hockeystick
