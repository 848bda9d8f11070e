// SPDX-License-Identifier: Apache-2.0
// All of the *_kernel.hpp of one instruction set as an FftKernel: what an ISA file gives away.
#pragma once

#include "numeric/cell_kernel.hpp"
#include "numeric/exponential_kernel.hpp"
#include "numeric/fft_kernel.hpp"
#include "numeric/fft_tables.hpp"
#include "numeric/logarithm_kernel.hpp"
#include "numeric/normal_kernel.hpp"
#include "numeric/panel_kernel.hpp"
#include "numeric/power_kernel.hpp"
#include "numeric/scan_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

constexpr FftKernel kernel_table(const char* name) {
  FftKernel kernel{name};
  kernel.forward = &forward, kernel.inverse = &inverse;
  kernel.absolute_sum = &absolute_sum, kernel.turned_sums = &turned_sums;
  kernel.weigh = &weigh, kernel.rotate = &rotate;
  kernel.powers = &powers, kernel.raise = &raise, kernel.fold = &fold, kernel.total = &total;
  kernel.exponentials = &exponentials, kernel.exponentials_less_1 = &exponentials_less_1;
  kernel.logarithms = &logarithms, kernel.logarithms_of_1_plus = &logarithms_of_1_plus;
  kernel.normal_tails = &normal_tails, kernel.tilted_sums = &tilted_sums;
  kernel.panel = &panel, kernel.panels = &panels, kernel.cells = &cells;
  return kernel;
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
