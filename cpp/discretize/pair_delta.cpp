// SPDX-License-Identifier: Apache-2.0
#include "discretize/pair_delta.hpp"

#include <algorithm>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

// The loss and the edge are off by at most loss_error; delta falls with epsilon. With p and A = P - e^a Q of the cell
// [a, b), and S = P and D = P - e^b Q of what lies above b, P - e^a Q of all above a is A + S - e^(a - b) (S - D).
std::vector<double> pair_deltas_above(const DominatingPair& pair, std::span<const double> epsilons) {
  std::vector<double> edges(epsilons.begin(), epsilons.end());
  const double lower = 1.01 * pair.integrate(edges).loss_error;
  for (double& edge : edges) edge = down(edge - lower);  // proof: single-step
  const PairCells cells = pair.integrate(edges);
  const bool has_gaps = edges.size() > 1;
  const double roundings = (8 * static_cast<double>(edges.size()) + (has_gaps ? 4000 : 0)) * unit_roundoff;
  const double relative = cells.share_error + cells.mass_error + roundings;               // proof: single-step
  const double of_mass = cells.share_error_p + (has_gaps ? 2.02 * cells.loss_error : 0);  // proof: single-step
  double mass = cells.upper_tail_p, delta = cells.upper_tail_above;
  std::vector<double> found(edges.size());
  for (std::size_t k = edges.size(); k-- > 0;) {
    if (k + 1 < edges.size()) {
      const double narrower = edges[k] - edges[k + 1];
      delta = cells.cells[k].above + (mass * -math::expm1(narrower) + delta * math::exp(narrower));
      mass += cells.cells[k].p;
    }
    const double above = delta * (1 + relative) + of_mass * (1 + relative) * mass;
    found[k] = std::min(1.0, (above + cells.infinity_mass) * (1 + 4 * unit_roundoff));
  }
  return found;
}

}  // namespace hockeystick
