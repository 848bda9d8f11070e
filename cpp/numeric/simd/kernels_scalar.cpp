// SPDX-License-Identifier: Apache-2.0
// One lane, no intrinsics: runs everywhere. The code is in the *_kernel.hpp.
#define HOCKEYSTICK_ISA scalar
#define HOCKEYSTICK_LANES 1
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_scalar = scalar::kernel_table("scalar");
