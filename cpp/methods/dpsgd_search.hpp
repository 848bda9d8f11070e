// SPDX-License-Identifier: Apache-2.0
// The noise, the sampling probability or the number of steps at which DP-SGD just meets a budget.
#pragma once

#include <cstdint>

#include "methods/dpsgd.hpp"

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
/// meet the budget; the other end, unless it is the same, does not. Relative width `tolerance`; none of steps. Throws
/// std::invalid_argument if nothing in the range meets it.
Answer searched(Searched what, DpsgdBudget budget, const DpsgdPairs& pairs, const Limits& limits);

}  // namespace hockeystick
