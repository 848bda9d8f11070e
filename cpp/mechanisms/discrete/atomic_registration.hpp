// SPDX-License-Identifier: Apache-2.0
// Registers all pairs of one atomic law under their names:
//     const AtomicRegistration<discrete_laplace> registration("discrete_laplace", {{{"parameter", range}, ...}});
#pragma once

#include <string>
#include <utility>

#include "mechanisms/discrete/atomic_pair.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {

/// Of noise on whole numbers, by a record.
inline constexpr Range shifts{1, 1e7, Range::Ends::closed, true};

using LawFactory = AtomicLaw (*)(Parameters);

/// Registers the pair of `law` as NAME, its reverse as NAME_back, and poisson_NAME_remove and poisson_NAME_add, whose
/// last parameter is the sampling probability.
template <LawFactory law>
class AtomicRegistration {
 public:
  AtomicRegistration(const std::string& name, const ParameterList& parameters)
      : forward_(name, parameters, [](Parameters p) { return atomic_pair(law(p)); }),
        backward_(name + "_back", parameters, [](Parameters p) { return atomic_pair(reversed(law(p))); }),
        remove_("poisson_" + name + "_remove", with_rate(parameters),
                [](Parameters p) { return atomic_pair(sampled(p)); }),
        add_("poisson_" + name + "_add", with_rate(parameters),
             [](Parameters p) { return atomic_pair(reversed(sampled(p))); }) {}

 private:
  static ParameterList with_rate(ParameterList parameters) {
    if (parameters) parameters->push_back(parameter::sampling_probability);
    return parameters;
  }
  static AtomicLaw sampled(Parameters p) {
    checked(parameter::sampling_probability.name, p.empty() ? 0 : p.back(), parameter::sampling_probability.range);
    return poisson_sampled(law(p.first(p.size() - 1)), p.back());
  }

  Registration forward_, backward_, remove_, add_;
};

}  // namespace hockeystick
