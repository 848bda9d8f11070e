// SPDX-License-Identifier: Apache-2.0
// Mechanisms with a known Renyi divergence of one order.
#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/described/rows.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;

// A Gaussian whose divergence of that order is at most the given one: its noise is sqrt(order / (2 divergence)),
// rounded up.
PairName normal_below(const Described& one) {
  const double noise = std::sqrt(one.number(first) / (2 * one.number(second)));
  return {"gaussian", {std::max(noise * (1 + 0x1p-50), 1e-3)}};  // proof: parameter-rounding
}

// One mechanism for each order, whose divergence is the sum of the given ones. Sums beyond the range stay apart.
std::vector<DescribedTerm> sums_of_divergences(std::span<const DescribedTerm> terms) {
  std::vector<DescribedTerm> joined, same;
  std::vector<DescribedTerm> left(terms.begin(), terms.end());
  while (!left.empty()) {
    const double order = left.front().mechanism->number(first);
    const auto rest = std::stable_partition(
        left.begin(), left.end(), [=](const DescribedTerm& term) { return term.mechanism->number(first) == order; });
    same.assign(left.begin(), rest);
    left.erase(left.begin(), rest);
    Described one = *same.front().mechanism;
    one.values[second] = {rows::sum_above(same, second)};
    if (!one.kind->arguments[second].range.holds(one.number(second))) return {terms.begin(), terms.end()};
    joined.push_back({std::make_shared<const Described>(std::move(one)), 1});
  }
  return joined;
}

const Enclosure known_by_one_order{
    .above =
        [](const Described& one, Comparison, const Accuracy& accuracy) {
          const double tail = to_the_end(std::min(accuracy.tail, 1e-40));
          return PairName{"renyi_dp_above", {one.number(first), one.number(second), accuracy.cells, tail}};
        },
    .below = [](const Described& one, Comparison, const Accuracy&) { return Names{normal_below(one)}; },
    .beyond_curve =
        [](const Described& one, Comparison, const Accuracy&, Aspect) {
          return std::array{normal_below(one), PairName{"renyi_dp_moments", {one.number(first), one.number(second)}}};
        },
    .joined = sums_of_divergences};

Mechanism simplest(const Mechanism& one) { return one->number(second) == 0 ? nullptr : one; }

}  // namespace

std::vector<MechanismKind> rows::renyi() {
  const auto number = Argument::Kind::number;
  return {
      {.name = "renyi_dp",
       .type = "RenyiDP",
       .arguments = {{"order", {1.0001, 1e4}}, {"divergence", {1e-12, 1e4}, {}, number, true}},
       .simplified = simplest,
       .enclosure = &known_by_one_order},
  };
}

}  // namespace hockeystick
