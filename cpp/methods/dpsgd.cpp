// SPDX-License-Identifier: Apache-2.0
#include "methods/dpsgd.hpp"

#include <array>

#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

std::vector<Direction> directions_of(const DpsgdPairs& pairs, double noise_multiplier, double q, std::int64_t steps) {
  if (q == 1) return {{{dominating_pair("gaussian", std::array{noise_multiplier / pairs.noise_divisor}), steps}}};
  std::vector<Direction> directions;
  for (const std::string& name : pairs.sampled)
    directions.push_back({{dominating_pair(name, std::array{noise_multiplier, q}), steps}});
  return directions;
}

}  // namespace

std::vector<Answer> dpsgd_epsilon_bounds(const DpsgdRuns& runs, const DpsgdPairs& pairs, const Limits& limits) {
  std::vector<Answer> answers(runs.deltas.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    checkpoint_each<16>(i);
    const double q = runs.sampling_probabilities[i];
    const std::int64_t steps = runs.steps[i];
    if (steps == 0 || q == 0) continue;
    const auto directions = directions_of(pairs, runs.noise_multipliers[i], q, steps);
    answers[i] = epsilon_bounds(directions, runs.deltas.subspan(i, 1), limits).front();
  }
  return answers;
}

}  // namespace hockeystick
