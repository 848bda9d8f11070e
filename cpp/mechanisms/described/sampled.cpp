// SPDX-License-Identifier: Apache-2.0
// Sampling schemes: mechanisms that run others on a part of the data.
#include "mechanisms/described/rows.hpp"
#include "mechanisms/gaussian/truncation.hpp"

namespace hockeystick {
namespace {

void check_samplable(const Described& one) {
  if (one.inner->kind->sampled == nullptr)
    throw std::invalid_argument("mechanism must be one that can be sampled, got " + std::string(one.inner->kind->name));
}

PairName poisson(const Described& one, Comparison way) {
  return one.inner->kind->sampled(*one.inner, way, one.number(0));
}

// The arguments of truncated Poisson batches: noise multiplier, q, largest batch, dataset size.
PairName truncated(const Described& one, Comparison way) {
  const bool special = way == Comparison::special_remove || way == Comparison::special_add;
  const Truncation drawn = truncation(one.number(3), one.number(1), one.number(2));
  return {(special ? "truncated_poisson_gaussian_special_" : "truncated_poisson_gaussian_") + std::string(form(way)),
          {one.number(0), one.number(1), drawn.rate, drawn.room, drawn.none}};
}

Mechanism simplest_truncated(const Mechanism& one) {
  if (one->number(1) > 0 && one->number(2) < one->number(3)) return one;
  const Given noise{"noise_multiplier", one->values[0]}, rate{"sampling_probability", one->values[1]};
  const Mechanism step = described(mechanism_kind("gaussian"), {&noise, 1});
  return simplified(described(mechanism_kind("poisson_sampled"), {&rate, 1}, step));
}

}  // namespace

Mechanism rows::simplest_poisson(const Mechanism& one) {
  const Mechanism inner = simplified(one->inner);
  if (one->number(0) == 0 || inner == nullptr) return nullptr;
  return one->number(0) == 1 ? inner : one;
}

std::vector<DescribedTerm> rows::own_steps(const Described& one, double at_once, double times) {
  if (!(std::max(at_once, times) <= ranges::count.high)) return {};
  const auto rounds = static_cast<std::int64_t>(times);
  if (at_once == 1) return {{one.inner, rounds}};
  const Given given[] = {{"noise_multipliers", one.inner->values[0], true}, {"counts", {at_once}, true}};
  return {{described(mechanism_kind("joint_gaussian"), given), rounds}};
}

std::vector<MechanismKind> rows::sampled() {
  constexpr Range records{1, 1e9, Range::Ends::closed, true};
  return {
      {.name = "poisson_sampled",
       .type = "PoissonSampled",
       .arguments = {{"sampling_probability", ranges::probability}},
       .pair = poisson,
       .is_scheme = true,
       .check = check_samplable,
       .simplified = simplest_poisson,
       .at_most = [](const Described& one) { return rows::own_steps(one); }},
      {.name = "truncated_poisson_gaussian",
       .type = "TruncatedPoissonGaussian",
       .arguments = {{"noise_multiplier", ranges::noise_multiplier},
                     {"sampling_probability", ranges::probability},
                     {"truncated_batch_size", records},
                     {"dataset_size", records}},
       .pair = truncated,
       .simplified = simplest_truncated},
  };
}

}  // namespace hockeystick
