// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// The losses that one step's mass may sit on: an offset plus multiples of the discretization interval,
/// not necessarily consecutive (a graded support has wider gaps where little mass is).
struct Support {
  double interval;
  double offset;
  std::vector<std::int64_t> index;

  double loss(std::size_t i) const { return offset + interval * static_cast<double>(index[i]); }
};

/// A dominating pair cut at every support point and at one loss between each two neighbours: cell
/// 2i is the part of (loss_i, loss_(i+1)] below the cut, cell 2i + 1 the part above it.
struct SupportCells {
  Support support;
  std::vector<double> cuts;  // [nats]; loss_i <= cuts[i] <= loss_(i+1)
  PairCells parts;
  bool bounded_below, bounded_above;  // whether the loss is

  double loss(std::size_t i) const { return support.loss(i); }
  double gap(std::size_t i) const {
    return support.interval * static_cast<double>(support.index[i + 1] - support.index[i]);
  }
  /// Bound on the error of the share of a whole cell that goes to either end, cpp/README.md.
  double share_error(std::size_t i) const {
    return 3 * parts.share_error + (2 * parts.share_error_p + 8 * parts.loss_error) / gap(i) + 8 * 0x1p-53;
  }
};

/// Cut half way between neighbours.
SupportCells cut_midway(const DominatingPair& pair, Support support);

/// Cut at the given losses.
SupportCells cut_at(const DominatingPair& pair, Support support, std::vector<double> cuts);

/// The whole cell (loss_i, loss_(i+1)] from its parts.
CellMass whole_cell(const SupportCells& cells, std::size_t i);

}  // namespace hockeystick
