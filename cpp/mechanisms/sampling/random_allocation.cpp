// SPDX-License-Identifier: Apache-2.0
// A Gaussian mechanism that a record joins in 1 of t steps: pairs above and below its curve.
#include <cmath>
#include <stdexcept>

#include "mechanisms/discrete/atomic_registration.hpp"
#include "mechanisms/sampling/allocation_curve.hpp"

namespace hockeystick {
namespace {

constexpr double widest_interval = 0.25;

// The curve grows with mu: from N(mu, 1) against N(0, 1) noise makes N(c mu, 1) against N(0, 1) for every c < 1.
struct Asked {
  Allocation allocation;
  double interval, tail;
};

Asked asked(Parameters p, double outward) {
  const double steps = p[1], cells = p[3], tail = p[4];
  if (!(cells >= 1 && cells <= 1e4)) throw std::invalid_argument("cells must be in [1, 1e4]");
  if (!(tail >= 1e-16 && tail < 1)) throw std::invalid_argument("tail must be in [1e-16, 1)");
  const double mu = checked_allocation(p[0], steps, p[2]).mu * (1 + outward * 4 * u);  // proof: parameter-rounding
  const double spread = std::sqrt(std::log1p(std::expm1(mu * mu) / steps));
  return {{mu, steps}, std::min(spread / cells, widest_interval), tail};
}

AtomicLaw above(Parameters p) {
  const auto [allocation, interval, tail] = asked(p, 1);
  return law_above(allocation_curve(allocation, interval / 2, 1, tail));
}

AtomicLaw below(Parameters p) {
  constexpr std::size_t stride = 4;
  const auto [allocation, interval, tail] = asked(p, -1);
  return law_below(allocation_curve(allocation, interval, stride, tail), stride);
}

// Parameters: noise multiplier, steps, epochs, cells in a deviation of the loss, mass left out at each end.
const AtomicRegistration<above> registration_above("random_allocation_above", 5);
const AtomicRegistration<below> registration_below("random_allocation_below", 5);

}  // namespace
}  // namespace hockeystick
