// SPDX-License-Identifier: Apache-2.0
// Four lanes, compiled with -mavx2 -mfma (MSVC: /arch:AVX2). The code is in the *_kernel.hpp.
#include "numeric/fft_tables.hpp"

#if defined(__AVX2__) && (defined(__FMA__) || defined(_MSC_VER))
#define HOCKEYSTICK_ISA avx2
#define HOCKEYSTICK_LANES 4
#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

const hockeystick::FftKernel hockeystick::fft_avx2{"avx2",
                                                   &hockeystick::avx2::forward,
                                                   &hockeystick::avx2::inverse,
                                                   &hockeystick::avx2::absolute_sum,
                                                   &hockeystick::avx2::powers,
                                                   &hockeystick::avx2::exponentials,
                                                   &hockeystick::avx2::exponentials_less_1,
                                                   &hockeystick::avx2::tilted_sums,
                                                   &hockeystick::avx2::turned_sums,
                                                   &hockeystick::avx2::rotate,
                                                   &hockeystick::avx2::weigh,
                                                   &hockeystick::avx2::raise,
                                                   &hockeystick::avx2::fold,
                                                   &hockeystick::avx2::total,
                                                   &hockeystick::avx2::panel};
#else
const hockeystick::FftKernel hockeystick::fft_avx2{"avx2"};
#endif
