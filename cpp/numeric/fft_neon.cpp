// SPDX-License-Identifier: Apache-2.0
// Two lanes: the baseline of aarch64, no flags. The code is in the *_kernel.hpp.
#include "numeric/fft_tables.hpp"

#if defined(__aarch64__) || defined(_M_ARM64)
#define HOCKEYSTICK_ISA neon
#define HOCKEYSTICK_LANES 2
#define HOCKEYSTICK_NEON
#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

const hockeystick::FftKernel hockeystick::fft_neon{"neon",
                                                   &hockeystick::neon::forward,
                                                   &hockeystick::neon::inverse,
                                                   &hockeystick::neon::absolute_sum,
                                                   &hockeystick::neon::powers,
                                                   &hockeystick::neon::exponentials,
                                                   &hockeystick::neon::exponentials_less_1,
                                                   &hockeystick::neon::tilted_sums,
                                                   &hockeystick::neon::turned_sums,
                                                   &hockeystick::neon::rotate,
                                                   &hockeystick::neon::weigh,
                                                   &hockeystick::neon::raise,
                                                   &hockeystick::neon::fold,
                                                   &hockeystick::neon::total,
                                                   &hockeystick::neon::panel};
#else
const hockeystick::FftKernel hockeystick::fft_neon{"neon"};
#endif
