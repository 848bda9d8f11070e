// SPDX-License-Identifier: Apache-2.0
// The noise, the sampling probability or the number of steps at which DP-SGD just meets a budget.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run/dpsgd.hpp"

namespace hockeystick {

/// Runs, one number of each of which is searched for, with their budgets. All lists have one length, but for the
/// numbers searched for, whose list is empty.
struct DpsgdBudgets {
  std::span<const double> noise_multipliers, sampling_probabilities;
  std::span<const std::int64_t> steps;
  std::span<const double> epsilons, deltas;
};

/// Which number is searched for.
enum class Searched { noise_multiplier, sampling_probability, steps };

/// Encloses the least noise multiplier, the largest sampling probability or the largest number of steps, in its range,
/// at which delta(epsilon) <= delta. Certified: the upper end of a noise multiplier and the lower end of the others
/// meet the budget; the other end of a noise multiplier or a sampling probability does not, and has a relative distance
/// of `tolerance`. Of steps, `lower` is the number whose upper bound of epsilon, as close as `tolerance`, meets the
/// budget, while that of the next number does not; numbers above `upper` exceed it. Throws std::invalid_argument if
/// nothing in the range meets the budget.
std::vector<Answer> searched(Searched what, const DpsgdBudgets& budgets, const DpsgdPairs& pairs, const Limits& limits,
                             std::int64_t threads);

}  // namespace hockeystick
