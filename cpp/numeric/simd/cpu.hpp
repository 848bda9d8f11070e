// SPDX-License-Identifier: Apache-2.0
// The kernels that this build and this CPU have, and the choice of one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "numeric/fft/tables.hpp"

namespace hockeystick {

/// Kernels that were compiled in and that this CPU can run, fastest first; never empty.
std::vector<const SimdKernels*> available_fft_kernels();

/// The available kernel of that name; std::invalid_argument, listing the names, if there is none.
const SimdKernels& fft_kernel(std::string_view name);

/// The kernel in use: the one that the environment variable HOCKEYSTICK_KERNEL names, otherwise the fastest. Chosen at
/// the first call, then fixed. Throws like fft_kernel.
const SimdKernels& default_fft_kernel();

/// Their names, for reports.
std::string kernel_name();
std::vector<std::string> available_kernel_names();

}  // namespace hockeystick
