// SPDX-License-Identifier: Apache-2.0
// k-ary randomized response: the true answer, or with probability r a uniformly random one (Warner 1965 for k = 2).
#include <cmath>

#include "mechanisms/discrete/atomic_pair.hpp"
#include "mechanisms/registry.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// log((1 - r + r/k) / (r/k)) = log(1 + k (1 - r) / r), off by at most 8 u of itself: the argument by 3 u, which
// log1p carries with a factor of at most 1. Where the quotient might overflow, 4 u of each logarithm, u of their
// sum, and 2 u for the product.
double replaced_loss(double r, double k) {
  if (r < 1e-200) return r > 0 ? math::log(k * (1 - r)) - math::log(r) : infinity;
  return math::log1p(k * (1 - r) / r);
}

// The answers for one value against those for another; its own reverse. Masses: u each for 1 - r, r/k and a sum.
AtomicLaw replaced(Parameters parameters) {
  const double r = parameters[0], k = parameters[1];
  const double own = (1 - r) + r / k, other = r / k;
  const double loss = replaced_loss(r, k);
  AtomicLaw law;
  law.atoms = {{-loss, other, own}, {loss, own, other}};
  if (k > 2 && r > 0) law.atoms.push_back({0, (k - 2) * other, (k - 2) * other});
  law.mass_error = 4 * u;                                   // proof: discrete-laws
  law.loss_error = std::isfinite(loss) ? 8 * u * loss : 0;  // proof: discrete-laws
  return law;
}

// The answers for a value against uniform ones, which are those for the special value. The losses are log(k (1 - r +
// r/k)) = log(1 + (k - 1)(1 - r)) and log r.
AtomicLaw special(Parameters parameters) {
  const double r = parameters[0], k = parameters[1];
  const double loss = math::log1p((k - 1) * (1 - r)), other = r > 0 ? math::log(r) : -infinity;
  AtomicLaw law;
  law.atoms = {{other, (k - 1) * r / k, (k - 1) / k}, {loss, (1 - r) + r / k, 1 / k}};
  law.mass_error = 4 * u;                                                       // proof: discrete-laws
  law.loss_error = 8 * u * std::fmax(loss, std::isfinite(other) ? -other : 0);  // proof: discrete-laws
  return law;
}

const std::vector<Parameter> parameters{{"noise_parameter", ranges::probability},
                                        {"num_buckets", {2, 1e9, Range::Ends::closed, true}}};

const Registration replace("randomized_response", parameters, [](Parameters p) { return atomic_pair(replaced(p)); });
const Registration remove("randomized_response_special", parameters,
                          [](Parameters p) { return atomic_pair(special(p)); });
const Registration add("randomized_response_special_back", parameters,
                       [](Parameters p) { return atomic_pair(reversed(special(p))); });

}  // namespace
}  // namespace hockeystick
