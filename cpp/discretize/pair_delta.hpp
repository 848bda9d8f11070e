// SPDX-License-Identifier: Apache-2.0
// The delta of a single step, straight from the integrals of its pair.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Upper bound of one step's delta(epsilon), for any finite epsilon, from the cell without an upper end. Relative
/// accuracy; at least 1e-307.
double pair_delta_above(const DominatingPair& pair, double epsilon);

/// The same at each of these increasing epsilons, from the cells between them: one integral of the pair for all. An
/// error of the loss counts with the P-mass above each epsilon.
std::vector<double> pair_deltas_above(const DominatingPair& pair, std::span<const double> epsilons);

}  // namespace hockeystick
