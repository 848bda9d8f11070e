// SPDX-License-Identifier: Apache-2.0
// Many runs of DP-SGD at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mechanisms/adjacency.hpp"
#include "methods/question.hpp"

namespace hockeystick {

/// One question an index; all of one length. Steps of a Gaussian mechanism on Poisson subsamples.
struct DpsgdRuns {
  std::span<const double> noise_multipliers;       // in the range of the registered pairs
  std::span<const double> sampling_probabilities;  // in [0, 1]
  std::span<const std::int64_t> steps;             // >= 0
  std::span<const double> deltas;                  // in (0, 1)
};

/// The pairs that dominate a step under an adjacency, by the names of the registry.
struct DpsgdPairs {
  std::vector<std::string> sampled;  // one for each direction; parameters: noise multiplier, sampling probability
  double noise_divisor;  // without sampling the pair is "gaussian", of the noise multiplier divided by this number
};

/// The pairs of the Gaussian mechanism under an adjacency, an index in `adjacencies`.
const DpsgdPairs& dpsgd_pairs(std::size_t adjacency);

/// Encloses epsilon of every run, each for the worst direction, exactly as `epsilon_bounds` does, whatever the number
/// of threads. Runs without steps, or that sample nothing, cost nothing.
std::vector<Answer> dpsgd_epsilon_bounds(const DpsgdRuns& runs, const DpsgdPairs& pairs, const Limits& limits,
                                         std::int64_t threads = 1);

/// Encloses delta(epsilon) of one run, as `delta_bounds` does.
Answer dpsgd_delta_bounds(double noise_multiplier, double sampling_probability, std::int64_t steps, double epsilon,
                          const DpsgdPairs& pairs, const Limits& limits);

}  // namespace hockeystick
