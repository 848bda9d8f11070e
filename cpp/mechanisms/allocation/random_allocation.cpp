// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism that a record joins in 1 of t steps: pairs above and below its curve.
#include <memory>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"

namespace hockeystick {
namespace {

std::shared_ptr<const EnclosedCurve> curve_of(Parameters p) {
  return kept_allocation_curve(checked_allocation(p[0], p[1], p[2]), p[3], p[4]);
}

AtomicLaw above(Parameters p) {
  const auto curve = curve_of(p);
  EnclosedCurve some;  // a hull of chords needs fewer points
  for (std::size_t k = 0; k < curve->alpha.size(); k += 2) {
    some.alpha.push_back(curve->alpha[k]);
    some.upper.push_back(curve->upper[k]);
  }
  return law_above(some);
}

AtomicLaw below(Parameters p) { return law_below(*curve_of(p)); }

// Cells in a deviation of the loss; the tail is the mass left out at each end.
const std::vector<Parameter> parameters{parameter::noise_multiplier, allocated_steps, allocated_epochs,
                                        parameter::cells, parameter::tail};
const AtomicRegistration registration_above(above, "random_allocation_above", parameters);
const AtomicRegistration registration_below(below, "random_allocation_below", parameters);

}  // namespace
}  // namespace hockeystick
