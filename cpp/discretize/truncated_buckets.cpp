// SPDX-License-Identifier: Apache-2.0
#include "discretize/truncated_buckets.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <vector>

#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double most_cells = 5e7;

// Positions of losses on the grid.
struct Grid {
  double interval;

  double near(double loss) const { return 1e-12 * interval + 64 * u * (1 + std::fabs(loss)); }
  std::int64_t up(double loss) const { return static_cast<std::int64_t>(std::ceil((loss - near(loss)) / interval)); }
  std::int64_t down(double loss) const { return static_cast<std::int64_t>(std::floor((loss + near(loss)) / interval)); }
};

// The losses at which cells end: the two bounds and the multiples between them, each split in two so that
// atoms on it get a cell of their own.
std::vector<double> edges_of(const Grid& grid, double low, double high) {
  std::vector<double> edges;
  const auto add = [&](double loss) {
    for (const double side : {-1.0, 1.0}) {
      const double edge = loss + side * grid.near(loss);
      edges.push_back(edges.empty() ? edge : std::max(edges.back(), edge));
    }
  };
  add(low);
  for (std::int64_t k = grid.down(low) + 1; grid.up(high) > k; ++k) add(grid.interval * static_cast<double>(k));
  if (high > low) add(high);
  return edges;
}

}  // namespace

StepPmf truncated_buckets(const DominatingPair& pair, double interval, double low, double high, Side side) {
  if (!(low <= high && (high - low) / interval < most_cells && std::fabs(low) / interval < 1e15))
    throw std::invalid_argument("discretization_interval must be larger: too many buckets");
  const Grid grid{interval};
  const std::vector<double> edges = edges_of(grid, low, high);
  const PairCells parts = pair.integrate(edges);
  const bool upper = side == Side::upper;
  std::map<std::int64_t, double> mass;
  double shift = 0;
  for (std::size_t i = 0; i < parts.cells.size(); ++i) {
    // Down from the cell's upper end may only jump over losses within `near` of a multiple: of an edge.
    const std::int64_t to = upper ? grid.up(edges[i + 1]) : grid.down(edges[i]);
    checkpoint_each<4096>(i);
    mass[to] += parts.cells[i].p;
    shift = std::max(shift, 4 * grid.near(edges[i]) + 4 * grid.near(edges[i + 1]));  // proof: truncated-buckets
  }
  if (upper) mass[grid.up(low)] += parts.lower_tail_p;      // proof: truncated-buckets
  if (!upper) mass[grid.down(high)] += parts.upper_tail_p;  // proof: truncated-buckets
  const double sign = upper ? 1 : -1;
  const double outward = std::max(0.0, 1 + sign * (parts.mass_error + 16 * u));  // proof: truncated-buckets
  StepPmf step{interval, 0, {}, {}, 0, upper ? 1.0 : 0.0, 0, side};
  for (const auto& [index, p] : mass) {
    if (!(p * outward > 0)) continue;
    step.index.push_back(index);
    step.mass.push_back(p * outward);
  }
  step.infinity_mass =  // proof: truncated-buckets
      upper ? std::min(1.0, (parts.upper_tail_p + parts.infinity_mass) * outward) : parts.infinity_mass_lower;
  step.loss_error = (parts.loss_error + shift) * (1 + 4 * u);  // proof: loss-coupling
  return step;
}

}  // namespace hockeystick
