// SPDX-License-Identifier: Apache-2.0
// The delta of a single step, straight from the integrals of its pair.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Upper bounds of one step's delta at increasing epsilons, any finite ones, from the cells between them: one integral
/// of the pair for all. Relative accuracy for one epsilon, and at least 1e-307; of several an error of the loss counts
/// with the P-mass above each.
std::vector<double> pair_deltas_above(const DominatingPair& pair, std::span<const double> epsilons);

}  // namespace hockeystick
