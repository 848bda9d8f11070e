// SPDX-License-Identifier: Apache-2.0
// Plans where a smoothed contour of laws of atoms runs. No bound depends on a plan.
#pragma once

#include "plan/closing.hpp"
#include "plan/contour_plan.hpp"

namespace hockeystick {

/// Plans for one direction of one question. Each plan uses what earlier answers showed. The rarest losses are left out
/// and each step's losses are capped (plan/closing.hpp), so that no rare huge loss dominates the moments.
class AtomPlanner {
 public:
  /// `infinity_mass`: about the probability of an infinite loss.
  AtomPlanner(const Direction& direction, const Question& question, double infinity_mass);

  /// The forecast saddle point, and the cumulants that it is one of.
  const Saddle& at() const { return at_; }
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }
  /// The P-mass that lines may leave out, and the cap of the losses.
  double cut() const { return cut_; }
  const Closing& closing() const { return closing_; }
  /// Whether a contour through the saddle point can answer.
  bool is_answerable() const;
  /// Relative width of delta, of finite losses alone, that meets the tolerance.
  double log_tolerance() const;

  /// Moves the forecast to `epsilon`, where a sum found `delta` and the slope -d log delta / d epsilon. False if that
  /// does not help. `is_near`: whether the sum bounds the answer from both sides.
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

/// log of the bound that contours of atoms find for the modulus of a composition's moments between two frequencies,
/// relative to the moment at the tilt.
double log_modulus_bound(const Saddlepoint& saddlepoint, double tilt, double from, double to);

}  // namespace hockeystick
