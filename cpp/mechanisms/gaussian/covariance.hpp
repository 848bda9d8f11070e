// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms on the same records whose noises have a covariance matrix.
#pragma once

#include <span>

#include "numeric/interval.hpp"

namespace hockeystick {

/// Encloses the noise multiplier of the one Gaussian mechanism that equals several parts whose noise has this
/// covariance matrix, given by rows; a record moves each part by at most one unit. Throws std::invalid_argument unless
/// the matrix is symmetric and, as far as binary64 shows, positive definite.
Interval noise_of_covariance(std::span<const double> covariance, std::size_t parts);

}  // namespace hockeystick
