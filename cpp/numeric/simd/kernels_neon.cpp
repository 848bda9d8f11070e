// SPDX-License-Identifier: Apache-2.0
// Two lanes: the baseline of aarch64, no flags. The code is in the *_kernel.hpp.
#include "numeric/fft/tables.hpp"

#if defined(__aarch64__) || defined(_M_ARM64)
#define HOCKEYSTICK_ISA neon
#define HOCKEYSTICK_LANES 2
#define HOCKEYSTICK_NEON
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_neon = neon::kernel_table("neon");
#else
constexpr hockeystick::SimdKernels hockeystick::fft_neon{"neon"};
#endif
