// SPDX-License-Identifier: Apache-2.0
// Two lanes: the baseline of x86-64, no flags. The code is in the *_kernel.hpp.
#include "numeric/fft_tables.hpp"

#if defined(__SSE2__) || defined(_M_X64)
#define HOCKEYSTICK_ISA sse2
#define HOCKEYSTICK_LANES 2
#define HOCKEYSTICK_SSE2
#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

const hockeystick::FftKernel hockeystick::fft_sse2{"sse2",
                                                   &hockeystick::sse2::forward,
                                                   &hockeystick::sse2::inverse,
                                                   &hockeystick::sse2::absolute_sum,
                                                   &hockeystick::sse2::powers,
                                                   &hockeystick::sse2::exponentials,
                                                   &hockeystick::sse2::exponentials_less_1,
                                                   &hockeystick::sse2::tilted_sums,
                                                   &hockeystick::sse2::turned_sums,
                                                   &hockeystick::sse2::rotate,
                                                   &hockeystick::sse2::weigh,
                                                   &hockeystick::sse2::raise,
                                                   &hockeystick::sse2::fold,
                                                   &hockeystick::sse2::total,
                                                   &hockeystick::sse2::panel};
#else
const hockeystick::FftKernel hockeystick::fft_sse2{"sse2"};
#endif
