// SPDX-License-Identifier: Apache-2.0
// Moments of one step's losses between two edges, and tail bounds of sums of such losses.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The cells of a step between the first edge and the last.
class MiddleLosses {
 public:
  /// The first cells of `parts` lie between these edges. `outside` encloses the P-mass of all other outcomes.
  MiddleLosses(const PairCells& parts, std::span<const double> edges, const Interval& outside);

  /// Encloses log E_P[e^(tilt L)] over the cells, tilt >= 0 or tilt <= -1; [-inf, inf] where that is out of range. The
  /// lower end is -inf if `above_alone`.
  Interval log_moment(double tilt, bool above_alone = false) const;

 private:
  struct Cell {
    double p, share;  // its P-mass, and the share of its lower end
    double location;  // error of losses in it, times 2 p
  };
  std::vector<double> edges_, centres_;
  std::vector<Cell> cells_;
  double mass_error_;
  Interval outside_;
};

/// Upper bounds of P(S > s) or P(S < s) for a sum S of independent losses, by Chernoff's inequality at a few tilts, all
/// positive or all negative.
class ChernoffTable {
 public:
  /// A tilt, and an upper bound of the log moment of the sum there.
  void add(double tilt, double log_moment) { rows_.push_back({tilt, log_moment}); }

  /// Upper bound of the least E e^(tilt (S - s)); inf without rows.
  double at(double s) const;

  struct Row {
    double tilt, log_moment;
  };
  std::span<const Row> rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
};

}  // namespace hockeystick
