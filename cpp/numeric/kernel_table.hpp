// SPDX-License-Identifier: Apache-2.0
// All of the *_kernel.hpp of one instruction set as an FftKernel: what an ISA file gives away.
#pragma once

#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/fft_tables.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

constexpr FftKernel kernel_table(const char* name) {
  return {name,         &forward,     &inverse, &absolute_sum, &powers, &exponentials, &exponentials_less_1,
          &tilted_sums, &turned_sums, &rotate,  &weigh,        &raise,  &fold,         &total,
          &panel};
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
