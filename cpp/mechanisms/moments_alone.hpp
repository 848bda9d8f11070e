// SPDX-License-Identifier: Apache-2.0
// Pairs that enclose moments, and know nothing of the law of the loss.
#pragma once

#include <span>

#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/loss_sketch.hpp"

namespace hockeystick {

/// A pair whose cells bound nothing; a class that derives from it encloses its moments and its mass at +inf.
class MomentsAlone : public DominatingPair {
 public:
  PairCells integrate(std::span<const double> edges) const final {
    PairCells none;
    none.cells.resize(edges.empty() ? 0 : edges.size() - 1);
    none.lower_tail_q = none.infinity_mass = 1;
    return none;
  }
  LossNodes nodes() const final { return {{0.0}, {-700.0}}; }
};

}  // namespace hockeystick
