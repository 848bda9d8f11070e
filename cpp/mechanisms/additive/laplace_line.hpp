// SPDX-License-Identifier: Apache-2.0
// The moments of the Laplace mechanism's loss on a line: with s = z + 1/2 and m = 1 / noise multiplier,
//
//     M(z) = e^(-m / 2) (cosh(m s) + sinh(m s) / (2 s)).
#pragma once

#include <memory>

#include "mechanisms/mgf_line.hpp"

namespace hockeystick {

/// m is within `m_error` of the exact one.
std::unique_ptr<MgfLine> laplace_line(double m, double m_error, double tilt);

}  // namespace hockeystick
