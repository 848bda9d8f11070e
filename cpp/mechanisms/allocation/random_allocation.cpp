// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism that a record joins in 1 of t steps: pairs above and below its curve.
#include <array>
#include <cmath>
#include <memory>
#include <mutex>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
namespace {

constexpr double widest_interval = 0.25;

// The curve asked for last: that of either direction, from above and below.
struct Kept {
  std::array<double, 4> key{};
  std::shared_ptr<const EnclosedCurve> curve;
};
ForkSafeMutex& guard = *new ForkSafeMutex;
Kept& kept = *new Kept;

std::shared_ptr<const EnclosedCurve> curve_of(Parameters p) {
  const double cells = p[3], tail = p[4];
  const Allocation allocation = checked_allocation(p[0], p[1], p[2]);
  const std::array<double, 4> key{allocation.mu, allocation.steps, cells, tail};
  {
    const std::lock_guard lock(guard);
    if (kept.curve && kept.key == key) return kept.curve;
  }
  const double spread = std::sqrt(math::log1p(math::expm1(allocation.mu * allocation.mu) / allocation.steps));
  const double interval = std::min(spread / cells, widest_interval);
  const auto curve = std::make_shared<const EnclosedCurve>(allocation_curve(allocation, interval, tail));
  const std::lock_guard lock(guard);
  kept = {key, curve};
  return curve;
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

AtomicLaw below(Parameters p) { return law_below(*curve_of(p), allocation_stride); }

// Cells in a deviation of the loss; the tail is the mass left out at each end.
const std::vector<Parameter> parameters{parameter::noise_multiplier, allocated_steps, allocated_epochs,
                                        parameter::cells, parameter::tail};
const AtomicRegistration registration_above(above, "random_allocation_above", parameters);
const AtomicRegistration registration_below(below, "random_allocation_below", parameters);

}  // namespace
}  // namespace hockeystick
