// SPDX-License-Identifier: Apache-2.0
// Registers all pairs of one atomic law under their names:
//     const AtomicRegistration<discrete_laplace> registration("discrete_laplace", 2);
#pragma once

#include <stdexcept>
#include <string>

#include "mechanisms/discrete/atomic_pair.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {

using LawFactory = AtomicLaw (*)(Parameters);

/// Registers the pair of `law` as NAME, its reverse as NAME_back, and poisson_NAME_remove and poisson_NAME_add, whose
/// last parameter is the sampling probability.
template <LawFactory law>
class AtomicRegistration {
 public:
  AtomicRegistration(const std::string& name, int parameters)
      : forward_(name, parameters, [](Parameters p) { return atomic_pair(law(p)); }),
        backward_(name + "_back", parameters, [](Parameters p) { return atomic_pair(reversed(law(p))); }),
        remove_("poisson_" + name + "_remove", with_rate(parameters),
                [](Parameters p) { return atomic_pair(sampled(p)); }),
        add_("poisson_" + name + "_add", with_rate(parameters),
             [](Parameters p) { return atomic_pair(reversed(sampled(p))); }) {}

 private:
  static int with_rate(int parameters) { return parameters == any_count ? any_count : parameters + 1; }
  static AtomicLaw sampled(Parameters p) {
    if (p.empty() || !(p.back() > 0 && p.back() < 1))
      throw std::invalid_argument("the last parameter must be a sampling probability in (0, 1)");
    return poisson_sampled(law(p.first(p.size() - 1)), p.back());
  }

  Registration forward_, backward_, remove_, add_;
};

}  // namespace hockeystick
