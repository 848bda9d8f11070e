// SPDX-License-Identifier: Apache-2.0
// The moment generating function of the Gaussian mechanism along a line, in closed form.
#pragma once

#include <memory>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// The moments of N(mu, 1) against N(0, 1): M(z) = e^(mu^2 z (z + 1) / 2). `mu_error` bounds mu's relative error.
std::unique_ptr<MgfLine> gaussian_line(double mu, double mu_error, double tilt);

}  // namespace hockeystick
