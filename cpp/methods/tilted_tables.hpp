// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forecast/saddlepoint.hpp"
#include "pld/chernoff.hpp"
#include "pld/compose.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// One step from both sides, and how often it is run.
struct StepSides {
  const StepPmf* upper;
  const StepPmf* lower;
  std::int64_t count;
};

/// What a ladder is asked.
struct TiltedTablesNeeds {
  double lowest;               // no epsilon is below this
  double shallowest, deepest;  // logs of the largest and the least delta that matter; tables for those between
  double steepest;             // tilts beyond are of no use on the grid
  double most_bytes;           // of the transforms and what they leave
};

/// delta of a composition of explicit steps, at every epsilon to a relative accuracy: by transforms at tilts so close
/// that each delta lies near the saddle point of one of them.
class TiltedTables {
 public:
  TiltedTables(std::span<const StepSides> steps, const TiltedTablesNeeds& needs);

  /// Whether the memory sufficed; nothing else may be asked if not.
  bool fits() const { return fits_; }

  /// Upper bound of log delta(epsilon) by Chernoff's inequality.
  double log_above(double epsilon) const;

  /// Bounds of delta(epsilon); epsilon may be negative.
  double above(double epsilon) const;
  double below(double epsilon) const;

 private:
  struct Table {
    ChernoffMoment rung;
    CurveTable upper, lower;
  };
  ChernoffMoment rung(double tilt) const;
  bool add_table(double tilt, const TiltedTablesNeeds& needs, double highest);
  const Table& nearest(double epsilon) const;
  std::vector<ComposedTerm> tilted_terms(double tilt, bool upper) const;

  std::vector<StepSides> steps_;
  Saddlepoint saddlepoint_;
  double loss_error_ = 0;
  std::vector<ChernoffMoment> rungs_;
  std::vector<Table> tables_;
  bool fits_ = true;
};

}  // namespace hockeystick
