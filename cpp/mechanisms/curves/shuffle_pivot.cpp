// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_pivot.hpp"

#include "mechanisms/curves/shuffle_terms.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

PivotNodes pivot_nodes(double mu, double width, double tail) {
  const SplitLaw law = split_lognormal(mu, width, tail);
  const double bend = math::cosh(mu * law.step / 2);
  const double product = math::exp(-mu * mu) / (bend * bend);  // proof: shuffled-pivot
  const double moved = law.off + 32 * u;
  PivotNodes all{{}, law.excess};  // proof: shuffled-pivot
  double mass = law.masses[0];     // moved up from p = 0 to the first corner
  for (std::size_t k = 1; k < law.values.size(); ++k) {
    const double x = law.values[k], last = k + 1 == law.values.size() ? 0 : 1;
    mass += law.masses[k];
    all.nodes.push_back(
        {mass * (1 + 2 * u), x * (1 + moved), last * product / x * (1 - moved)});  // proof: shuffled-pivot
    mass = 0;
  }
  return all;
}

}  // namespace hockeystick
