// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// The moments of N(mu, 1) against N(0, 1), in closed form: M(z) = e^(mu^2 z (z + 1) / 2). `mu_error` bounds the
/// relative error of mu.
std::unique_ptr<MgfLine> gaussian_line(double mu, double mu_error, double tilt);

}  // namespace hockeystick
