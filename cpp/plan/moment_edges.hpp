// SPDX-License-Identifier: Apache-2.0
// Edges of the cells from which moments of a loss are integrated: fine where it has mass.
#pragma once

#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/constants.hpp"
#include "numeric/runtime/budget.hpp"

namespace hockeystick {

/// Increasing edges up to `reach` in size, at least `fineness` between two nodes of the pair. `room` is charged for
/// them and for their cells.
std::vector<double> moment_edges(const DominatingPair& pair, int fineness, Held& room, double reach = infinity);

/// Forecast cost [ns] of the cells between these edges.
double moment_cells_cost(const DominatingPair& pair, int fineness);

}  // namespace hockeystick
