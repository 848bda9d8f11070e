// SPDX-License-Identifier: Apache-2.0
// One lane, no intrinsics: runs everywhere. The code is in fft_kernel.hpp and scan_kernel.hpp.
#define HOCKEYSTICK_ISA scalar
#define HOCKEYSTICK_LANES 1
#include "numeric/fft_kernel.hpp"
#include "numeric/scan_kernel.hpp"

const hockeystick::FftKernel hockeystick::fft_scalar{"scalar",
                                                     &hockeystick::scalar::forward,
                                                     &hockeystick::scalar::inverse,
                                                     &hockeystick::scalar::absolute_sum,
                                                     &hockeystick::scalar::first_above,
                                                     &hockeystick::scalar::rotate};
