// SPDX-License-Identifier: Apache-2.0
// Elementary functions of whole arrays by the kernel in use, any length, in place.
//
// Errors are those of the kernels (exponential_kernel.hpp, logarithm_kernel.hpp), proved: e^x 3 u, e^x - 1 4 u, log x 3
// u, log(1 + y) 4 u, all within the 4 u assumed of the platform's functions, which replace the kernels outside their
// range: any argument is allowed.
#pragma once

#include <span>

namespace hockeystick {

/// e^x.
void exponentials(std::span<double> x);

/// e^x - 1.
void exponentials_less_1(std::span<double> x);

/// log x.
void logarithms(std::span<double> x);

/// log(1 + y).
void logarithms_of_1_plus(std::span<double> y);

}  // namespace hockeystick
