// SPDX-License-Identifier: Apache-2.0
// Guarantees, and mechanisms of whole numbers or finitely many outcomes.
#include <algorithm>
#include <cmath>

#include "mechanisms/described/rows.hpp"
#include "mechanisms/discrete/wide_discrete_gaussian.hpp"
#include "numeric/constants.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

const Argument guaranteed{"epsilon", ranges::epsilon};
const Argument sensitivity{"sensitivity", {1, 1e6, Range::Ends::closed, true}, 1.0};

Mechanism simplest_approximate(const Mechanism& one) {
  return one->number(0) == 0 && one->number(1) == 0 ? nullptr : one;
}

PairName exponential(const Described& one, Comparison) { return {"approximate_dp", {one.number(0), 0.0}}; }
PairName sampled_exponential(const Described& one, Comparison way, double q) {
  return rows::sampled_pair("approximate_dp", {one.number(0), 0.0}, way, q);
}
double shift(double moved, Comparison way) { return replaces(way) ? 2 * moved : moved; }

PairName discrete_laplace(const Described& one, Comparison way) {
  return {"discrete_laplace", {one.number(0), shift(one.number(1), way)}};
}

// Of discrete Gaussian noise: sigma, sensitivity, truncation.
double bound(const Described& one) { return std::isnan(one.number(2)) ? infinity : one.number(2); }

// The most integers that are listed on a side: 38 sigmas, beyond which the mass is less than the smallest one that
// counts.
double room(const Described& one) {
  constexpr double most_atoms = 4e6;
  return std::floor((most_atoms - 2 * one.number(1)) / 2) - 1;
}
bool is_listed(const Described& one) { return std::ceil(38 * one.number(0)) <= room(one) || bound(one) <= room(one); }

void check_size(const Described& one) {
  if (is_listed(one)) return;
  if (std::isinf(bound(one)))
    checked("sigma", one.number(0), {0, 9e11});
  else
    checked("truncation, of at most 4e6 integers,", bound(one), {0, room(one)});
}

// Noise of more integers lies between two Gaussians.
Mechanism simplest_discrete_gaussian(const Mechanism& one) {
  if (is_listed(*one)) return one;
  const auto [least, most] = gaussians_about(one->number(0), one->number(1));
  return described_in_order(mechanism_kind("gaussian_between"), {{least}, {most}});
}

// The Gaussian above, where a question needs one pair.
void check_listed(const Described& one) {
  if (is_listed(one)) return;
  checked("sigma, where noise is sampled or one pair is asked for,", one.number(0), {0, room(one) / 38});
}

PairName discrete_gaussian(const Described& one, Comparison way) {
  check_listed(one);
  return {"discrete_gaussian", {one.number(0), shift(one.number(1), way), bound(one)}};
}
PairName sampled_discrete_gaussian(const Described& one, Comparison way, double q) {
  check_listed(one);
  return rows::sampled_pair("discrete_gaussian", {one.number(0), one.number(1), bound(one)}, way, q);
}

// Randomized response: noise parameter, number of buckets.
PairName response(const Described& one, Comparison way) {
  const std::vector<double> parameters{one.number(0), one.number(1)};
  if (replaces(way)) return {"randomized_response", parameters};
  return {is_backward(way) ? "randomized_response_special_back" : "randomized_response_special", parameters};
}
Mechanism simplest_response(const Mechanism& one) { return one->number(0) == 1 || one->number(1) == 1 ? nullptr : one; }

// Two distributions on the same outcomes, by probabilities or by counts.
void check_distributions(const Described& one) {
  constexpr double most_outcomes = 1e6, most_counts = 0x1p53;
  const std::vector<double>&p = one.values[0], &q = one.values[1];
  if (p.size() != q.size() || static_cast<double>(p.size()) > most_outcomes)
    throw std::invalid_argument("p and q must have the same length, 1 to 1000000, got " + std::to_string(p.size()) +
                                " and " + std::to_string(q.size()));
  const auto is_whole = [](double x) { return std::floor(x) == x; };
  const bool counts = std::all_of(p.begin(), p.end(), is_whole) && std::all_of(q.begin(), q.end(), is_whole);
  for (std::size_t k = 0; k < 2; ++k) {
    CompensatedSum sum;
    for (const double x : one.values[k]) sum.add(x);
    checked(k == 0 ? "sum of p" : "sum of q", sum.value(), counts ? Range{1, most_counts} : Range{1 - 1e-9, 1 + 1e-9});
  }
}

PairName discrete_pair(const Described& one, Comparison way) {
  PairName own = rows::own_pair(one, way);
  if (is_backward(way)) own.name += "_back";
  return own;
}
Mechanism simplest_distributions(const Mechanism& one) { return one->values[0] == one->values[1] ? nullptr : one; }

}  // namespace

std::vector<MechanismKind> rows::discrete() {
  const Argument pure{"epsilon", ranges::pure_epsilon, {}, Argument::Kind::number, true};
  const Argument weights{"p", ranges::finite, {}, Argument::Kind::list};
  Argument others = weights;
  others.name = "q";
  return {
      {.name = "approximate_dp",
       .type = "ApproximateDP",
       .arguments = {guaranteed, {"delta", ranges::probability}},
       .pair = rows::own_pair,
       .sampled = rows::own_sampled_pair,
       .simplified = simplest_approximate},
      {.name = "exponential_mechanism",
       .type = "ExponentialMechanism",
       .arguments = {guaranteed},
       .pair = exponential,
       .sampled = sampled_exponential,
       .simplified = rows::nothing_of_zero},
      {.name = "permute_and_flip",
       .type = "PermuteAndFlip",
       .arguments = {pure},
       .refused = {replaces, "epsilon is that of adding or removing a record"},
       .pair = rows::own_pair,
       .sampled = rows::own_sampled_pair,
       .simplified = rows::nothing_of_zero},
      {.name = "discrete_laplace",
       .type = "DiscreteLaplace",
       .arguments = {{"parameter", ranges::pure_epsilon}, sensitivity},
       .pair = discrete_laplace,
       .sampled = rows::own_sampled_pair},
      {.name = "discrete_gaussian",
       .type = "DiscreteGaussian",
       .arguments = {{"sigma", ranges::noise_multiplier},
                     sensitivity,
                     {"truncation", {1, 1e15, Range::Ends::closed, true}, std::nan("")}},
       .pair = discrete_gaussian,
       .sampled = sampled_discrete_gaussian,
       .check = check_size,
       .simplified = simplest_discrete_gaussian},
      {.name = "randomized_response",
       .type = "RandomizedResponse",
       .arguments = {{"noise_parameter", ranges::probability},
                     {"num_buckets", {1, 1e9, Range::Ends::closed, true}, 2.0}},
       .refused = {rows::arguments::counts_records, "each record gives one answer"},
       .pair = response,
       .simplified = simplest_response},
      {.name = "discrete_pair",
       .type = "DiscretePair",
       .arguments = {weights, others},
       .pair = discrete_pair,
       .sampled = rows::own_sampled_pair,
       .check = check_distributions,
       .simplified = simplest_distributions},
  };
}

}  // namespace hockeystick
