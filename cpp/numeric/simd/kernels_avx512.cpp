// SPDX-License-Identifier: Apache-2.0
// Eight lanes, compiled with -mavx512f -mavx512dq -mfma (MSVC: /arch:AVX512). The code is in the *_kernel.hpp.
#include "numeric/fft/tables.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__) && (defined(__FMA__) || defined(_MSC_VER))
#define HOCKEYSTICK_ISA avx512
#define HOCKEYSTICK_LANES 8
#include "numeric/simd/kernel_table.hpp"

constexpr hockeystick::SimdKernels hockeystick::fft_avx512 = avx512::kernel_table("avx512");
#else
constexpr hockeystick::SimdKernels hockeystick::fft_avx512{"avx512"};
#endif
