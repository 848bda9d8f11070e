// SPDX-License-Identifier: Apache-2.0
// Where a smoothed contour of laws of atoms should run for a question: forecasts only, no bound rests on them.
#pragma once

#include "plan/closing.hpp"
#include "plan/contour_plan.hpp"

namespace hockeystick {

/// Plans for one direction of one question, each from what the one before it found. The rarest losses are cut, and
/// steps are closed above all that the question knows of, so that no rare huge loss rules the moments.
class AtomPlanner {
 public:
  /// `infinity_mass`: of the run, about.
  AtomPlanner(const Direction& direction, const Question& question, double infinity_mass);

  /// Where the question lies, and of which losses.
  const Saddle& at() const { return at_; }
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }
  /// The mass of the run that lines may leave out, and where its steps are closed.
  double cut() const { return cut_; }
  const Closing& closing() const { return closing_; }
  /// Whether the saddle may carry a contour.
  bool is_answerable() const;
  /// The wanted relative width of what finite losses add to delta.
  double log_tolerance() const;

  /// Forecasts anew from delta and the slope -d log delta / d epsilon that a sum found at `epsilon`; false if that
  /// says nothing. `is_near`: whether the sum bounds the answer from both sides.
  bool learn(double epsilon, double delta, double slope, bool is_near);

 private:
  void close(double epsilon);
  bool close_at(double epsilon);
  double finite_delta() const { return question_.at - infinity_mass_ - closed_mass_; }

  const Direction& direction_;
  Question question_;
  double infinity_mass_, closed_mass_ = 0, cut_;
  ContourPlanner plain_;  // without closing
  Saddlepoint whole_, saddlepoint_;
  Saddle at_{};
  Closing closing_;
};

/// log of the bound that contours of atoms find of the modulus of a composition's moments between two frequencies, next
/// to that at the tilt.
double log_modulus_bound(const Saddlepoint& saddlepoint, double tilt, double from, double to);

}  // namespace hockeystick
