// SPDX-License-Identifier: Apache-2.0
// A dominating pair cut into cells along its loss axis: the input of every one-step estimate.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/constants.hpp"

namespace hockeystick {

/// The losses at which one step's mass may be placed: an offset plus multiples of the discretization interval, not
/// necessarily consecutive (a nonuniform support has wider gaps where little mass is). `interval` is at most
/// `largest_interval`, so that e^interval cannot overflow.
/// The losses of the lowest and highest atom are guesses, which determine the cuts; any cuts are valid.
struct Support {
  double interval;
  double offset;
  std::vector<std::int64_t> index;
  double lowest_atom = infinity, highest_atom = -infinity;  // none
  bool closed = false;  // whether no question depends on how far above the last point a loss lies

  bool has_atoms() const { return lowest_atom <= highest_atom; }
  double loss(std::size_t i) const { return offset + interval * static_cast<double>(index[i]); }
};

constexpr double largest_interval = 500;  // [nats]

/// A dominating pair cut at every support point and at one loss between any two neighbours: cell 2i is the part of
/// [loss_i, loss_(i+1)) below the cut, cell 2i + 1 the part above the cut.
struct SupportCells {
  Support support;
  std::vector<double> cuts;  // [nats]; loss_i <= cuts[i] <= loss_(i+1)
  PairCells parts;
  std::vector<double> atoms;  // lower bound of the mass of an atom at each point; empty: none known
  std::size_t top;            // first point that no finite loss exceeds by more than loss_error; none: all

  double loss(std::size_t i) const { return support.loss(i); }
  double gap(std::size_t i) const { return loss(i + 1) - loss(i); }
  bool nothing_above() const { return top < support.index.size(); }
  /// Bound of the error of the shares `low` and `high` of a whole cell that go to its ends. Moving the reference of a
  /// part to the far end uses the part's P-mass, with its error.
  double share_error(std::size_t i, double low, double high) const {
    const double edges = 8 * parts.edge_error / gap(i);  // proof: cell-errors
    const double moved = 2 * parts.mass_error;           // proof: cell-errors
    if (parts.own_scale) return (8 * parts.share_error + moved + edges + 32 * 0x1p-53) * std::min(low, high);
    return 3 * parts.share_error + moved + 2 * parts.share_error_p / gap(i) + edges + 8 * 0x1p-53;
  }
};

/// Cuts half way between neighbours; below an atom at the largest loss, at the atom.
SupportCells cut_midway(const DominatingPair& pair, Support support);

/// Cuts at the given losses. Throws std::invalid_argument if the interval is too large.
SupportCells cut_at(const DominatingPair& pair, Support support, std::vector<double> cuts);

/// The mass above a closed support: at its last point and at +inf, with the same P- and Q-mass, and the error of each.
struct Beyond {
  double at_top, at_infinity, error;
};
Beyond beyond(const SupportCells& cells);

/// The whole cell [loss_i, loss_(i+1)) from its parts.
CellMass whole_cell(const SupportCells& cells, std::size_t i);

}  // namespace hockeystick
