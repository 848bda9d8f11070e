// SPDX-License-Identifier: Apache-2.0
// Four lanes, compiled with -mavx2 -mfma (MSVC: /arch:AVX2). The code is in the *_kernel.hpp.
#include "numeric/fft/tables.hpp"

#if defined(__AVX2__) && (defined(__FMA__) || defined(_MSC_VER))
#define HOCKEYSTICK_ISA avx2
#define HOCKEYSTICK_LANES 4
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_avx2 = avx2::kernel_table("avx2");
#else
constexpr hockeystick::SimdKernels hockeystick::fft_avx2{"avx2"};
#endif
