// SPDX-License-Identifier: Apache-2.0
#include "discretize/pair_delta.hpp"

#include <algorithm>
#include <array>

#include "numeric/rounding.hpp"

namespace hockeystick {

double pair_delta_above(const DominatingPair& pair, double epsilon) {
  // The loss and the edge are off by at most loss_error; delta falls with epsilon.
  std::array<double, 1> edge{epsilon};
  const double loss_error = pair.integrate(edge).loss_error;
  edge[0] = down(epsilon - 1.01 * loss_error);  // proof: single-step
  const PairCells tail = pair.integrate(edge);
  const double relative = tail.share_error + tail.mass_error + 8 * unit_roundoff;  // proof: single-step
  const double above = tail.upper_tail_above * (1 + relative) + tail.share_error_p * tail.upper_tail_p;
  return std::min(1.0, (above + tail.infinity_mass) * (1 + 4 * unit_roundoff));
}

}  // namespace hockeystick
