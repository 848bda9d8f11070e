// SPDX-License-Identifier: Apache-2.0
// One lane, no intrinsics: runs everywhere. The code is in the *_kernel.hpp.
#define HOCKEYSTICK_ISA scalar
#define HOCKEYSTICK_LANES 1
#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

const hockeystick::FftKernel hockeystick::fft_scalar{"scalar",
                                                     &hockeystick::scalar::forward,
                                                     &hockeystick::scalar::inverse,
                                                     &hockeystick::scalar::absolute_sum,
                                                     &hockeystick::scalar::powers,
                                                     &hockeystick::scalar::exponentials,
                                                     &hockeystick::scalar::exponentials_less_1,
                                                     &hockeystick::scalar::tilted_sums,
                                                     &hockeystick::scalar::turned_sums,
                                                     &hockeystick::scalar::rotate,
                                                     &hockeystick::scalar::weigh,
                                                     &hockeystick::scalar::raise,
                                                     &hockeystick::scalar::fold,
                                                     &hockeystick::scalar::total,
                                                     &hockeystick::scalar::panel};
