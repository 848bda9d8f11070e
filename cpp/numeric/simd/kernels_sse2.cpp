// SPDX-License-Identifier: Apache-2.0
// Two lanes: the baseline of x86-64, no flags. The code is in the *_kernel.hpp.
#include "numeric/fft/tables.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#define HOCKEYSTICK_ISA sse2
#define HOCKEYSTICK_LANES 2
#define HOCKEYSTICK_SSE2
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_sse2 = sse2::kernel_table("sse2");
#else
constexpr hockeystick::SimdKernels hockeystick::fft_sse2{"sse2"};
#endif
