// SPDX-License-Identifier: Apache-2.0
#include "plan/moment_edges.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "mechanisms/loss_sketch.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// The nodes with mass, and a loss beyond them at either end, at most `reach`.
std::vector<double> losses_with_mass(const DominatingPair& pair, double reach) {
  const LossNodes nodes = pair.nodes();
  std::vector<double> kept;
  bool is_cut_below = false, is_cut_above = false;
  for (std::size_t i = 0; i < nodes.loss.size(); ++i) {
    const double loss = nodes.loss[i], log_mass = nodes.log_mass[i];
    // Smaller P-masses underflow. Of losses below 0 only the Q-mass counts.
    const bool matters = loss > 0 ? log_mass > -690 : log_mass - loss > -90;
    if (std::fabs(loss) >= reach) {
      (loss > 0 ? is_cut_above : is_cut_below) |= matters;
      continue;
    }
    if (matters && (kept.empty() || loss > kept.back() + 1e-15 * (1 + std::fabs(loss)))) kept.push_back(loss);
  }
  if (kept.empty()) kept.push_back(0);  // no finite loss has mass
  // Next to the ends of the range of losses, and strictly beyond them.
  for (const double end : {pair.loss_infimum(), pair.loss_supremum()}) {
    const double beside = end + (end < kept.front() ? -1e-15 : 1e-15) * (1 + std::fabs(end));
    if (std::fabs(end) < reach && beside < kept.front()) kept.insert(kept.begin(), beside);
    if (std::fabs(end) < reach && beside > kept.back()) kept.push_back(beside);
  }
  const double pad = 1e-6 * (1 + std::fabs(kept.front()) + std::fabs(kept.back()));
  kept.insert(kept.begin(), is_cut_below ? -reach : std::max(kept.front() - 1, pair.loss_infimum() - pad));
  kept.push_back(is_cut_above ? reach : std::min(kept.back() + 1, pair.loss_supremum() + pad));
  if (!(kept.back() > kept[kept.size() - 2])) kept.pop_back();
  return kept;
}

double parts_between(double from, double to, int fineness) {
  return std::clamp(std::ceil((to - from) * 1.01), 1.0 * fineness, 1e6);
}

double count_edges(std::span<const double> kept, int fineness) {
  double count = 1;
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) count += parts_between(kept[i], kept[i + 1], fineness);
  return count;
}

}  // namespace

double moment_cells_cost(const DominatingPair& pair, int fineness) {
  return tuning::moment_cell * pair.atom_sketch().edge_work * count_edges(losses_with_mass(pair, infinity), fineness);
}

std::vector<double> moment_edges(const DominatingPair& pair, int fineness, Held& room, double reach) {
  const std::vector<double> kept = losses_with_mass(pair, reach);
  const double count = count_edges(kept, fineness);
  room = Held(cost::moment_edge_bytes * count);
  std::vector<double> edges{kept.front()};
  edges.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const double gap = kept[i + 1] - kept[i];
    const int parts = static_cast<int>(parts_between(kept[i], kept[i + 1], fineness));
    for (int j = 1; j <= parts; ++j) {
      const double edge = j < parts ? kept[i] + gap * j / parts : kept[i + 1];
      if (edge > edges.back()) edges.push_back(edge);
    }
  }
  return edges;
}

}  // namespace hockeystick
