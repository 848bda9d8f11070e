// SPDX-License-Identifier: Apache-2.0
// All *_kernel.hpp of one instruction set as SimdKernels: the export of an ISA file.
#pragma once

#include "numeric/fft/tables.hpp"
#include "numeric/simd/cell_kernel.hpp"
#include "numeric/simd/diagonal_kernel.hpp"
#include "numeric/simd/exponential_kernel.hpp"
#include "numeric/simd/fft_kernel.hpp"
#include "numeric/simd/logarithm_kernel.hpp"
#include "numeric/simd/lognormal_kernel.hpp"
#include "numeric/simd/normal_kernel.hpp"
#include "numeric/simd/panel_kernel.hpp"
#include "numeric/simd/power_kernel.hpp"
#include "numeric/simd/sampling_kernel.hpp"
#include "numeric/simd/scan_kernel.hpp"
#include "numeric/simd/spline_kernel.hpp"
#include "numeric/simd/turn_kernel.hpp"

namespace hockeystick::HOCKEYSTICK_ISA {

constexpr SimdKernels kernel_table(const char* name) {
  SimdKernels kernel{name};
  kernel.forward = &forward, kernel.inverse = &inverse;
  kernel.absolute_sum = &absolute_sum, kernel.lie_within = &lie_within, kernel.turned_sums = &turned_sums;
  kernel.spread = &spread, kernel.weigh = &weigh, kernel.rotate = &rotate, kernel.turns_less_1 = &turns_less_1;
  kernel.turned_masses = &turned_masses;
  kernel.powers = &powers, kernel.raise = &raise, kernel.fold = &fold, kernel.total = &total;
  kernel.exponentials = &exponentials, kernel.exponentials_less_1 = &exponentials_less_1;
  kernel.exponentials_both = &exponentials_both;
  kernel.logarithms = &logarithms, kernel.logarithms_of_1_plus = &logarithms_of_1_plus;
  kernel.sampled_logs = &sampled_logs;
  kernel.normal_tails = &normal_tails, kernel.tilted_sums = &tilted_sums;
  kernel.tilted_masses = &tilted_masses;
  kernel.panel = &panel, kernel.cells = &cells;
  kernel.contour_sums = &contour_sums;
  kernel.lognormal_sums = &lognormal_sums;
  kernel.merge_diagonals = &merge_diagonals;
  return kernel;
}

}  // namespace hockeystick::HOCKEYSTICK_ISA
