// SPDX-License-Identifier: Apache-2.0
// The grid of one step: every multiple of the interval in the bulk of the tilted step, and every 2^k-th multiple from
// where less than `graded_fraction` / 4^k of its tilted mass lies farther out. The error is proportional to mass times
// spacing squared, so that each level adds at most `graded_fraction` of the error of the bulk.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discretize/cells.hpp"
#include "numeric/runtime/budget.hpp"
#include "plan/cost.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// The needs of a support.
struct SupportNeeds {
  double tilt;
  double log_moment;       // of the step at that tilt
  double log_top_mass;     // P-mass allowed above the support
  double log_bottom_mass;  // tilted mass allowed below it, if moved to its first point
  double widest;           // no gap wider than this [nats]
  double offset;           // of the grid [nats]
  double top = infinity;   // losses above are closed (plan/closing.hpp) [nats]
  double moving = 1;       // part of the tilted mass that lies off the grid
  double least = 0;        // tilted mass that losses above the bulk count as at least
};

/// A support as runs of equal gaps, which take little memory.
class NonuniformGrid {
 public:
  /// From the saddlepoint's nodes of term number `term`, which is `pair`.
  NonuniformGrid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                 const SupportNeeds& needs, double interval);
  /// The points of these increasing indices.
  NonuniformGrid(const DominatingPair& pair, double offset, double interval, std::span<const std::int64_t> index);
  /// The grid points at or on both sides of these atoms of the pair, and others so that no gap is wider than a nat.
  NonuniformGrid(const DominatingPair& pair, double offset, double interval, std::span<const Atom> atoms);
  double points() const;  // a double, as it may exceed any memory
  /// Peak bytes of discretizing a step on it from both sides.
  double bytes_discretized() const { return cost::point_bytes * points(); }
  Support build() const;
  double lowest() const;  // first and last loss [nats]
  double highest() const;
  bool closed() const { return closed_; }

 private:
  struct Run {
    std::int64_t first, gap, count;  // points first, first + gap, ...
  };
  NonuniformGrid(const DominatingPair& pair, double offset, double interval);
  void add(std::int64_t point, std::int64_t widest);
  void add_run(std::int64_t gap, std::int64_t count);

  double interval_, offset_;
  double lowest_atom_ = infinity, highest_atom_ = -infinity;
  Held room_;  // for the runs
  std::vector<Run> runs_;
  std::int64_t last_ = 0;
  bool closed_ = false;
};

/// The support for a step: the grid points next to its atoms if these hold all mass and are fewer than the points of a
/// graded support. Supports of steps with atoms have no coarser levels.
NonuniformGrid plan_nonuniform_grid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                                    SupportNeeds needs, double interval);

}  // namespace hockeystick
