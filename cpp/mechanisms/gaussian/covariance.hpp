// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms on the same records whose noises have a covariance matrix.
#pragma once

#include <span>

#include "numeric/interval.hpp"

namespace hockeystick {

/// The noise multiplier of the one Gaussian mechanism that parts with noise of this covariance are, by rows, in the
/// unit of what a record moves its part by; enclosed. Throws std::invalid_argument unless the matrix is symmetric and,
/// as far as binary64 tells, positive definite.
Interval noise_of_covariance(std::span<const double> covariance, std::size_t parts);

}  // namespace hockeystick
