// SPDX-License-Identifier: Apache-2.0
// Plans the discretized steps of one question: saddle point, interval, and the mass that truncation may cut. Each
// attempt adjusts them by the width of the last answer and its parts.
#pragma once

#include <optional>
#include <string_view>

#include "plan/place.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// An enclosure, and the parts of its width [delta].
struct Width {
  double lower, upper;
  double lost;  // by truncation and wraparound
  double rounding, discretization;
  double slope = 0, curvature = 0;  // as in `Saddle`; 0: not known
};

class GridPlanner {
 public:
  /// `infinity_mass`: about the probability of an infinite loss.
  GridPlanner(const Direction& direction, const Question& question, double infinity_mass);

  /// The forecast place of the answer.
  const Place& place() const { return place_; }
  /// Number of answers that `learn` was given.
  int attempts() const { return attempts_; }
  /// The reason why no further attempt would help; "" if one might.
  std::string_view limited_by() const { return limited_by_; }

  /// The plan of the next attempt.
  const Plan& plan();
  /// Cost of the plan [ns], divided by the number of questions that share it.
  double cost();
  /// Widens the interval until the plan takes at most `bytes`. False if no interval is wide enough.
  bool fit(double bytes);

  /// Plans anew for a delta that another method enclosed, if the forecast is far from it.
  void see(double log_delta);
  /// Adjusts the plan after an answer that was wider than allowed.
  void learn(const Width& found);
  /// Width of an answer over the allowed width.
  double excess(const Width& found) const;

 private:
  Plan planned(double interval) const;
  void look_at(const Width& found, bool tried);

  const Direction& direction_;
  Question question_;
  Place place_;
  double interval_ = 0, cut_ = 0, previous_gap_ = 0;
  double stalled_ = 1;  // doubles with each attempt in a row that narrowed nothing
  int attempts_ = 0;
  std::string_view limited_by_;
  std::optional<Plan> plan_;
};

}  // namespace hockeystick
