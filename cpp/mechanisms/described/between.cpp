// SPDX-License-Identifier: Apache-2.0
// Gaussian mechanisms whose noise, or sensitivity, is known between two numbers.
#include "mechanisms/described/rows.hpp"

namespace hockeystick {
namespace {

using namespace rows::arguments;

PairName with_noise(const Described& one, std::size_t which, Comparison way) {
  return {"gaussian", {one.number(which) / rows::distance(way)}};  // halving is exact
}

void check_order(const Described& one) {
  checked("most_noise", one.number(second), {one.number(first), ranges::noise_multiplier.high});
}

const Enclosure between{
    .above = [](const Described& one, Comparison way, const Accuracy&) { return with_noise(one, first, way); },
    .below = [](const Described& one, Comparison way, const Accuracy&) { return Names{with_noise(one, second, way)}; },
    .largest = [](const Described& one, Comparison way) { return with_noise(one, first, way); }};

}  // namespace

std::vector<MechanismKind> rows::between() {
  return {
      {.name = "gaussian_between",
       .type = "GaussianBetween",
       .arguments = {{"least_noise", ranges::noise_multiplier}, {"most_noise", ranges::noise_multiplier}},
       .check = check_order,
       .enclosure = &::hockeystick::between},
  };
}

}  // namespace hockeystick
