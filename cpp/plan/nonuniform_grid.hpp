// SPDX-License-Identifier: Apache-2.0
// Where one step's mass is put: every multiple of the interval where the tilted step has its bulk,
// every 2^k-th where less than `graded_fraction` / 4^k of its tilted mass lies further out. Error goes
// with mass times spacing squared, so each ring adds at most graded_fraction of the bulk's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discretize/cells.hpp"
#include "numeric/runtime/budget.hpp"
#include "plan/cost.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// What a support must cover, all as logarithms.
struct SupportNeeds {
  double tilt;
  double log_moment;       // of the step at that tilt
  double log_top_mass;     // P-mass allowed above the support
  double log_bottom_mass;  // tilted mass allowed below it, as if it sat at its first point
  double widest;           // no gap wider than this [nats]
  double offset;           // of the grid [nats]
  double top = infinity;   // losses above count as there and at +inf [nats]
  double moving = 1;       // the part of the tilted mass that a grid spreads
  double least = 0;        // of it, what losses above the bulk count as at least
};

/// A support as runs of equal gaps, small before it is built.
class NonuniformGrid {
 public:
  /// By the nodes that the saddle point knows of term `term`, the pair.
  NonuniformGrid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                 const SupportNeeds& needs, double interval);
  /// The points with these indices, increasing.
  NonuniformGrid(const DominatingPair& pair, double offset, double interval, std::span<const std::int64_t> index);
  /// The points next to these atoms of the pair, those on the grid and others, none further apart than a nat.
  NonuniformGrid(const DominatingPair& pair, double offset, double interval, std::span<const Atom> atoms);
  double points() const;  // as a double: may exceed any memory
  /// Bytes of a step on it, on its way from edges over cells to two tilted distributions.
  double bytes_discretized() const { return cost::point_bytes * points(); }
  Support build() const;
  double lowest() const;  // first and last loss [nats]
  double highest() const;
  bool closed() const { return closed_; }
  double run_bytes() const { return static_cast<double>(runs_.capacity() * sizeof(Run)); }
  bool operator==(const NonuniformGrid&) const = default;

 private:
  struct Run {
    std::int64_t first, gap, count;  // points first, first + gap, ...
    bool operator==(const Run&) const = default;
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

/// The support for a step: the neighbours of its atoms on the grid if they hold all mass and are fewer
/// than a graded support, which is not coarsened where there are atoms.
NonuniformGrid plan_nonuniform_grid(const DominatingPair& pair, const Saddlepoint& saddlepoint, std::size_t term,
                                    SupportNeeds needs, double interval);

}  // namespace hockeystick
