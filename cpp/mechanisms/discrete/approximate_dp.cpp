// SPDX-License-Identifier: Apache-2.0
// The worst pair of an (epsilon, delta)-DP mechanism (Kairouz, Oh, Viswanath 2015, Theorem 3.1); its own reverse.

#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

// Rounding: 1 - delta u, e^-epsilon 4 u, the sum 1 + e^-epsilon 5 u, a product and a quotient u each: 12 u.
AtomicLaw approximate_dp(Parameters parameters) {
  const double epsilon = parameters[0], delta = parameters[1];
  const double odds = math::exp(-epsilon);
  const double larger = (1 - delta) / (1 + odds), smaller = (1 - delta) * odds / (1 + odds);
  AtomicLaw law;
  if (delta < 1) law.atoms = {{-epsilon, smaller, larger}, {epsilon, larger, smaller}};
  if (delta > 0) {
    law.atoms.insert(law.atoms.begin(), {-infinity, 0, delta});
    law.atoms.push_back({infinity, delta, 0});
  }
  law.infinity_is_exact = true;
  law.mass_error = 12 * u;  // proof: discrete-laws
  law.bound = law.reverse_bound = epsilon;
  return law;
}

const AtomicRegistration registration(approximate_dp, "approximate_dp",
                                      {{{"epsilon", ranges::epsilon}, {"delta", ranges::probability}}});

}  // namespace
}  // namespace hockeystick
