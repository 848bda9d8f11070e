// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/atomic_registration.hpp"

#include <utility>

namespace hockeystick {

AtomicRegistration::AtomicRegistration(LawFactory law, const std::string& name, const ParameterList& parameters) {
  ParameterList with_rate = parameters;
  if (with_rate) with_rate->push_back(parameter::sampling_probability);
  for (const bool back : {false, true}) {
    Registration(name + (back ? "_back" : ""), parameters,
                 [law, back](Parameters p) { return atomic_pair(back ? reversed(law(p)) : law(p)); });
    Registration("poisson_" + name + (back ? "_add" : "_remove"), with_rate, [law, back](Parameters p) {
      const double rate = p.empty() ? 0 : p.back();
      checked(parameter::sampling_probability.name, rate, parameter::sampling_probability.range);
      AtomicLaw sampled = poisson_sampled(law(p.first(p.size() - 1)), rate);
      return atomic_pair(back ? reversed(std::move(sampled)) : std::move(sampled));
    });
  }
}

}  // namespace hockeystick
