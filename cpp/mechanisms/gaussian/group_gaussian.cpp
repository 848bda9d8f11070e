// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism on a Poisson subsample, where a group of records is removed or added. At worst all records move
// the output by 1 in one direction, for which the number of those drawn is all that counts: sum over j of P(j drawn)
// N(j, s^2) against N(0, s^2) (cpp/proofs/group-weights.md; Schuchardt et al. 2024 prove it of equal rates).
//
// Above, probabilities below 1e-290 count as probabilities of drawing all records; below, as ones of drawing none.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanisms/described/rows.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/poisson_binomial.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_records = 1000;

// Parameters: the noise multiplier, then the sampling probability of each record.
std::shared_ptr<const DominatingPair> group(const char* mixture, bool is_above, Parameters p) {
  if (p.size() < 2 || p.size() > most_records + 1)
    throw std::invalid_argument("parameters must be a noise multiplier and 1 to 1000 sampling probabilities");
  const Parameters rates = p.subspan(1);
  check_each("sampling_probabilities", rates, {0, 1, Range::Ends::closed});
  HeadsLaw drawn = heads_law(rates);
  (is_above ? drawn.masses.back() : drawn.masses.front()) += drawn.cut;  // proof: group-weights
  std::vector<double> parameters{p.front(), 1.0}, weights;
  for (std::size_t j = 0; j < drawn.masses.size(); ++j) {
    if (!(drawn.masses[j] > 0)) continue;
    parameters.push_back(static_cast<double>(j));
    weights.push_back(std::min(1.0, drawn.masses[j]));
  }
  parameters.insert(parameters.end(), weights.begin(), weights.end());
  return dominating_pair(mixture, parameters);
}

struct OneSide {
  OneSide(const char* name, const char* mixture, bool is_above)
      : registration(name, std::nullopt, [=](Parameters p) { return group(mixture, is_above, p); }) {}
  Registration registration;
};

// The run that other languages describe has one pair; probabilities for which above and below differ are refused.
void check_group(const Described& one) {
  rows::arguments::check_gaussian(one);
  if (one.values[0].size() > most_records)
    throw std::invalid_argument("sampling_probabilities must be at most 1000 numbers, got " +
                                std::to_string(one.values[0].size()));
  if (heads_law(one.values[0]).cut > 0)
    throw std::invalid_argument(
        "sampling_probabilities must be fewer or larger: the probability of some number of records is below 1e-290");
}

PairName group_pair(const Described& one, Comparison way) {
  std::vector<double> parameters{rows::arguments::noise_of(one)};
  parameters.insert(parameters.end(), one.values[0].begin(), one.values[0].end());
  return {"group_gaussian_above_" + std::string(form(way)), std::move(parameters)};
}

Mechanism simplest_group(const Mechanism& one) {
  const std::vector<double>& rates = one->values[0];
  return std::any_of(rates.begin(), rates.end(), [](double q) { return q > 0; }) ? one : nullptr;
}

const rows::Row row({.name = "sampled_group",
                     .type = "SampledGroup",
                     .arguments = {{"sampling_probabilities", ranges::probability, {}, Argument::Kind::list}},
                     .refused = {replaces, "no pair is proved for a group of records that others replace"},
                     .pair = group_pair,
                     .is_scheme = true,
                     .check = check_group,
                     .simplified = simplest_group});

const OneSide above_remove("group_gaussian_above_remove", "gaussian_mixture_remove", true);
const OneSide above_add("group_gaussian_above_add", "gaussian_mixture_add", true);
const OneSide below_remove("group_gaussian_below_remove", "gaussian_mixture_remove", false);
const OneSide below_add("group_gaussian_below_add", "gaussian_mixture_add", false);

}  // namespace
}  // namespace hockeystick
