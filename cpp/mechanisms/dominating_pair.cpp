// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/dominating_pair.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/loss_sketch.hpp"
#include "numeric/outward.hpp"

namespace hockeystick {

AtomSketch DominatingPair::atom_sketch() const { return {}; }

double DominatingPair::slope_between(double least, double most, double order) {
  const double steepest = std::max(most, -least);
  const double by_size = outward::product(steepest, steepest / 2, true);  // proof: zcdp
  return std::min(by_size, outward::quotient(most, order, true));         // proof: zcdp
}

Interval DominatingPair::log_moment_bounds(double t) const {
  constexpr std::size_t most_nodes = 0x1p16;
  const auto line = mgf_line({t, t, t, 0, 40, most_nodes});
  if (!line) return anything;
  const auto [value, error] = line->log_moment();
  const double off = error * (1 + 1e-9) + 1e-15 * std::fabs(value);
  return {value - off, value + off};
}

}  // namespace hockeystick
