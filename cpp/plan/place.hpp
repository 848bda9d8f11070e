// SPDX-License-Identifier: Apache-2.0
// The place of a question's answer: the forecast saddle point, and the losses that count for it. Grids and smoothed
// contours are planned at a place, and their answers move it. No bound depends on it.
#pragma once

#include "plan/closing.hpp"
#include "plan/question.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

class Place {
 public:
  /// Whether steps are closed if single large losses may determine delta.
  enum class Closes { never, if_irregular, always };

  /// `infinity_mass`: about the probability of an infinite loss.
  Place(const Direction& direction, const Question& question, double infinity_mass, Closes closes);

  /// The forecast of finite losses.
  const Saddle& at() const { return at_; }
  /// Cumulants of the losses that count, and of all.
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }
  const Saddlepoint& whole() const { return whole_; }
  /// The cap of every step's losses.
  const Closing& closing() const { return closing_; }
  bool may_close() const { return closes_ != Closes::never; }
  /// If there is no cap, losses of this total P-mass are too rare to matter.
  double cut() const { return cut_; }

  /// Whether a contour can answer here: finite losses have a part in delta, which doubles represent.
  bool is_answerable() const;
  /// The forecast of delta, with infinite losses.
  double log_delta() const;
  /// Relative width of the delta of finite losses that meets the tolerance of the answer.
  double log_tolerance() const;

  /// Counts the losses that may matter at a delta of about e^log_delta, and forecasts with them.
  void look_from(double log_delta);
  /// Moves to an epsilon and its log delta that an answer found, with slope and curvature of log delta; 0: not known.
  /// `is_near`: whether the epsilon is known to lie there; else only the losses that count may change.
  void move(double epsilon, double log_delta, bool is_near, double slope, double curvature);
  /// Moves to a delta at the epsilon asked about that some method enclosed; false if the forecast is close to it.
  bool see(double log_delta);

 private:
  void close();
  bool close_at(double epsilon);
  double finite_delta() const;

  const Direction& direction_;
  Question question_;
  double infinity_mass_;
  Closes closes_;
  Saddlepoint whole_, saddlepoint_;
  double log_delta_ = 0, largest_ = 0;  // the delta of the last forecast, and the largest loss that counts there
  Saddle at_{};
  bool is_zero_ = false;  // whether epsilon is forecast to be 0
  Closing closing_;
  double closed_mass_ = 0;  // probability of an infinite loss by the closing
  double cut_ = 0;
  double seen_ = 0;  // the last log delta that was seen
};

}  // namespace hockeystick
