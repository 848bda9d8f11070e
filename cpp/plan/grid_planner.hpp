// SPDX-License-Identifier: Apache-2.0
// Plans the discretized steps of one question, attempt after attempt: the saddle point, the interval and what
// truncation may cut, each learned from the width of the answer before.
#pragma once

#include <optional>
#include <string_view>

#include "plan/question.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// An enclosure, and the parts of its width in units of delta.
struct Width {
  double lower, upper;
  double lost;  // to truncation and wraparound
  double rounding, discretization;
  double slope = 0, curvature = 0;  // of log delta, as of a Saddle; 0: not known
};

class GridPlanner {
 public:
  /// `infinity_mass`: of the run, about.
  GridPlanner(const Direction& direction, const Question& question, double infinity_mass);

  /// Where the answer is forecast to lie: epsilon, or the logarithm of delta.
  double place() const { return question_.wants_epsilon() ? at_.epsilon : at_.log_delta; }
  const Saddle& at() const { return at_; }
  /// Of the losses that truncation leaves, and of all.
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }
  const Saddlepoint& whole() const { return whole_; }
  double log_tolerance() const { return log_tolerance_; }

  /// Attempts that an answer was learned from.
  int attempts() const { return attempts_; }
  /// Why no further attempt would help; "" if one may.
  std::string_view limited_by() const { return limited_by_; }

  /// The plan of the next attempt.
  const Plan& plan();
  /// [ns], its part for one of the questions that share it.
  double cost();
  /// Widens the interval of the plan until it takes no more bytes; false if none is wide enough.
  bool fit(double bytes);

  /// After an answer that was wider than allowed.
  void learn(const Width& found);
  /// How many times wider than allowed.
  double excess(const Width& found) const;

 private:
  void forecast();
  void close();
  void flatten();
  void look_at(const Width& found, bool tried);
  bool closed_by(double epsilon);
  Closing closing(double epsilon) const;
  double forecast_from(double log_delta);
  void add_infinity();
  double finite_delta() const;
  bool step_to_rung(double finite);
  bool step_off_rung();
  double wanted_log_tolerance() const;

  const Direction& direction_;
  Question question_;
  double infinity_mass_;
  Saddlepoint whole_, saddlepoint_;
  Saddle at_{};
  double log_delta_ = 0;  // that the question was last forecast from
  bool on_rung_ = false;  // planned for a question nearby
  bool rungs_ = true;     // whether that may be
  bool zero_forecast_ = false;
  Closing closing_;
  double rounding_ = 0;     // of a point of a transform, about
  bool flattened_ = false;  // whether the tilt is less than the saddle's
  double closed_mass_ = 0;  // the probability that some step has one at +inf
  double log_tolerance_ = 0, interval_ = 0, cut_ = 0, previous_gap_ = 0;
  int attempts_ = 0;
  std::string_view limited_by_;
  std::optional<Plan> plan_;
};

}  // namespace hockeystick
