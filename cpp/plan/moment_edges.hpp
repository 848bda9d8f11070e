// SPDX-License-Identifier: Apache-2.0
// Where a loss is cut for its moments: finely where it has mass.
#pragma once

#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/constants.hpp"
#include "numeric/runtime/budget.hpp"

namespace hockeystick {

/// Increasing edges, `fineness` or more between two nodes of the pair, of losses of at most `reach`; `room` is charged
/// for them and for their cells.
std::vector<double> moment_edges(const DominatingPair& pair, int fineness, Held& room, double reach = infinity);

}  // namespace hockeystick
