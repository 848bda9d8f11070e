// SPDX-License-Identifier: Apache-2.0
#include "run/dpsgd.hpp"

#include <algorithm>
#include <array>

#include "mechanisms/described.hpp"
#include "mechanisms/registry.hpp"
#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/workers.hpp"

namespace hockeystick {
namespace {

std::vector<Direction> directions_of(const DpsgdPairs& pairs, double noise_multiplier, double q, std::int64_t steps) {
  if (q == 1) return {{{dominating_pair("gaussian", std::array{noise_multiplier / pairs.noise_divisor}), steps}}};
  std::vector<Direction> directions;
  for (const std::string& name : pairs.sampled)
    directions.push_back({{dominating_pair(name, std::array{noise_multiplier, q}), steps}});
  return directions;
}

DpsgdPairs made_pairs(const Adjacency& adjacency) {
  const MechanismKind& kind = mechanism_kind("gaussian");
  const Given noise{"noise_multiplier", {1.0}};
  const Mechanism gaussian = described(kind, {&noise, 1});
  DpsgdPairs pairs{{}, 1 / kind.pair(*gaussian, adjacency.comparisons.front()).parameters.front()};
  for (const Comparison way : adjacency.comparisons) {
    const std::string name = kind.sampled(*gaussian, way, 0.5).name;
    if (std::find(pairs.sampled.begin(), pairs.sampled.end(), name) == pairs.sampled.end())
      pairs.sampled.push_back(name);
  }
  return pairs;
}

}  // namespace

const DpsgdPairs& dpsgd_pairs(std::size_t adjacency) {
  static const std::vector<DpsgdPairs> all = [] {
    std::vector<DpsgdPairs> each;
    for (const Adjacency& one : adjacencies) each.push_back(made_pairs(one));
    return each;
  }();
  return all.at(adjacency);
}

std::vector<Answer> dpsgd_epsilon_bounds(const DpsgdRuns& runs, const DpsgdPairs& pairs, const Limits& limits,
                                         std::int64_t threads) {
  check_each("noise_multiplier", runs.noise_multipliers, ranges::noise_multiplier);
  check_each("sampling_probability", runs.sampling_probabilities, ranges::probability);
  for (const std::int64_t steps : runs.steps) checked("steps", static_cast<double>(steps), ranges::count);
  check_each("delta", runs.deltas, ranges::delta);
  checked("threads", static_cast<double>(threads), ranges::threads);
  std::vector<Answer> answers(runs.deltas.size());
  in_threads(answers.size(), threads, [&](std::size_t i) {
    const double q = runs.sampling_probabilities[i];
    const std::int64_t steps = runs.steps[i];
    if (steps == 0 || q == 0) return;
    const auto directions = directions_of(pairs, runs.noise_multipliers[i], q, steps);
    answers[i] = epsilon_bounds(directions, runs.deltas.subspan(i, 1), limits).front();
  });
  return answers;
}

Answer dpsgd_delta_bounds(double noise_multiplier, double sampling_probability, std::int64_t steps, double epsilon,
                          const DpsgdPairs& pairs, const Limits& limits) {
  checked("noise_multiplier", noise_multiplier, ranges::noise_multiplier);
  checked("sampling_probability", sampling_probability, ranges::probability);
  checked("steps", static_cast<double>(steps), ranges::count);
  checked("epsilon", epsilon, ranges::epsilon);
  if (steps == 0 || sampling_probability == 0) return {};
  const auto directions = directions_of(pairs, noise_multiplier, sampling_probability, steps);
  return delta_bounds(directions, {&epsilon, 1}, limits).front();
}

}  // namespace hockeystick
