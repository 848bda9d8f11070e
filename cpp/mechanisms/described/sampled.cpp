// SPDX-License-Identifier: Apache-2.0
// Sampling schemes: mechanisms that run others on a part of the data.
#include "mechanisms/described/rows.hpp"

namespace hockeystick {
namespace {

void check_samplable(const Described& one) {
  if (one.inner->kind->sampled == nullptr)
    throw std::invalid_argument("mechanism must be one that can be sampled, got " + std::string(one.inner->kind->name));
}

PairName poisson(const Described& one, Comparison way) {
  return one.inner->kind->sampled(*one.inner, way, one.number(0));
}

Mechanism simplest_poisson(const Mechanism& one) {
  const Mechanism inner = simplified(one->inner);
  if (one->number(0) == 0 || inner == nullptr) return nullptr;
  return one->number(0) == 1 ? inner : one;
}

}  // namespace

std::vector<MechanismKind> rows::sampled() {
  return {
      {.name = "poisson_sampled",
       .type = "PoissonSampled",
       .arguments = {{"sampling_probability", ranges::probability}},
       .pair = poisson,
       .is_scheme = true,
       .check = check_samplable,
       .simplified = simplest_poisson},
  };
}

}  // namespace hockeystick
