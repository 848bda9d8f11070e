// SPDX-License-Identifier: Apache-2.0
// Noise with a density, and mixtures of it.
#include <algorithm>

#include "mechanisms/described/rows.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_parts = 10000;  // of a joint release

const Argument noise_multiplier{"noise_multiplier", ranges::noise_multiplier};

PairName gaussian(const Described& one, Comparison way) { return {"gaussian", {one.number(0) / rows::distance(way)}}; }

PairName sampled_gaussian(const Described& one, Comparison way, double q) {
  return {"poisson_gaussian_" + std::string(form(way)), {one.number(0), q}};
}

// Gaussians released together: noise multipliers, then how many of each.
std::vector<double> joint(const Described& one, double distance) {
  std::vector<double> all;
  for (const double noise : one.values[0]) all.push_back(noise / distance);
  all.insert(all.end(), one.values[1].begin(), one.values[1].end());
  return all;
}

PairName joint_gaussian(const Described& one, Comparison way) {
  return {"joint_gaussian", joint(one, rows::distance(way))};
}

PairName sampled_joint(const Described& one, Comparison way, double q) {
  std::vector<double> parameters = joint(one, 1);
  parameters.push_back(q);
  return {"poisson_joint_gaussian_" + std::string(form(way)), std::move(parameters)};
}

void check_joint(const Described& one) {
  if (one.values[0].size() != one.values[1].size() || one.values[0].size() > most_parts)
    throw std::invalid_argument("noise_multipliers and counts must have the same length, 1 to 10000, got " +
                                std::to_string(one.values[0].size()) + " and " + std::to_string(one.values[1].size()));
}

Mechanism simplest_joint(const Mechanism& one) {
  if (one->values[0].size() > 1 || one->values[1].front() != 1) return one;
  const Given noise{"noise_multiplier", one->values[0]};
  return described(mechanism_kind("gaussian"), {&noise, 1});
}

PairName laplace(const Described& one, Comparison way) { return {"laplace", {one.number(0) / rows::distance(way)}}; }

enum MixtureArgument : std::size_t { deviation, sensitivities, probabilities };
constexpr std::size_t most_components = 1000;

void check_mixture(const Described& one) {
  const std::vector<double>&norms = one.values[sensitivities], &weights = one.values[probabilities];
  if (norms.size() > most_components || norms.size() != weights.size())
    throw std::invalid_argument("sensitivities and probabilities must have the same length, 1 to 1000, got " +
                                std::to_string(norms.size()) + " and " + std::to_string(weights.size()));
  const Range range{one.number(deviation) * 1e-12, one.number(deviation) * 1e3};
  for (const double norm : norms)
    if (norm != 0) checked("sensitivities, in standard deviations of [1e-12, 1000],", norm, range);
  CompensatedSum sum;
  for (const double weight : weights) sum.add(weight);
  checked("sum of probabilities", sum.value(), {1 - 1e-9, 1 + 1e-9});
}

PairName sampled_mixture(const Described& one, Comparison way, double q) {
  if (replaces(way)) throw NoPair("no pair is known for a random sensitivity");
  std::vector<double> parameters{one.number(deviation), q};
  for (const std::size_t list : {sensitivities, probabilities})
    parameters.insert(parameters.end(), one.values[list].begin(), one.values[list].end());
  return {"gaussian_mixture_" + std::string(form(way)), std::move(parameters)};
}

PairName mixture(const Described& one, Comparison way) { return sampled_mixture(one, way, 1.0); }

Mechanism simplest_mixture(const Mechanism& one) {
  const std::vector<double>& norms = one->values[sensitivities];
  return std::any_of(norms.begin(), norms.end(), [](double norm) { return norm != 0; }) ? one : nullptr;
}

}  // namespace

std::vector<MechanismKind> rows::continuous() {
  constexpr Range weight{0, 1, Range::Ends::open_below};
  const auto list = Argument::Kind::list;
  return {
      {.name = "gaussian",
       .type = "Gaussian",
       .arguments = {noise_multiplier},
       .pair = gaussian,
       .sampled = sampled_gaussian},
      {.name = "joint_gaussian",
       .type = "JointGaussian",
       .arguments = {{"noise_multipliers", ranges::noise_multiplier, {}, list},
                     {"counts", {1, 1e9, Range::Ends::closed, true}, {}, list}},
       .pair = joint_gaussian,
       .sampled = sampled_joint,
       .check = check_joint,
       .simplified = simplest_joint},
      {.name = "laplace",
       .type = "Laplace",
       .arguments = {noise_multiplier},
       .pair = laplace,
       .sampled = rows::own_sampled_pair},
      {.name = "gaussian_mixture",
       .type = "GaussianMixture",
       .arguments = {{"standard_deviation", ranges::positive},
                     {"sensitivities", ranges::finite, {}, list},
                     {"probabilities", weight, {}, list}},
       .pair = mixture,
       .sampled = sampled_mixture,
       .check = check_mixture,
       .simplified = simplest_mixture},
  };
}

}  // namespace hockeystick
