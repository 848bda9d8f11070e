// SPDX-License-Identifier: Apache-2.0
// The noise, the sampling probability or the number of steps at which DP-SGD just meets a budget.
#pragma once

#include <cstdint>

#include "run/dpsgd.hpp"

namespace hockeystick {

/// A run of which one number is searched for, and what it may cost.
struct DpsgdBudget {
  double noise_multiplier, sampling_probability;
  std::int64_t steps;
  double epsilon, delta;
};

/// Which number is searched for; its value in the budget is not read.
enum class Searched { noise_multiplier, sampling_probability, steps };

/// Encloses the least noise multiplier, the largest sampling probability or the largest number of steps, in its range,
/// at which delta(epsilon) <= delta. Certified: the upper end of a noise multiplier and the lower end of the others
/// meet the budget; the other end of a noise multiplier or a sampling probability does not, and has a relative distance
/// of `tolerance`. Of steps, `lower` is the number whose upper bound of epsilon, as close as `tolerance`, meets the
/// budget, while that of the next number does not; numbers above `upper` exceed it. Throws std::invalid_argument if
/// nothing in the range meets the budget.
Answer searched(Searched what, DpsgdBudget budget, const DpsgdPairs& pairs, const Limits& limits);

}  // namespace hockeystick
