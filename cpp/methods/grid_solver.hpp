// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "forecast/saddlepoint.hpp"
#include "forecast/transform_plan.hpp"
#include "methods/fft_composition.hpp"
#include "methods/question.hpp"
#include "numeric/constants.hpp"
#include "numeric/union_probability.hpp"

namespace hockeystick {

/// One direction of one question, by discretized steps: in one transform, or more until the tolerance is met; in
/// contour sums of the steps where the transform would be long.
class GridSolver {
 public:
  /// `wants_epsilon`: value is a delta and the answer an epsilon. `room`: nats by which delta may fall for questions
  /// that `fft_composition` is to answer besides.
  GridSolver(const Direction& direction, bool wants_epsilon, double value, const Limits& limits, double room = 0);

  /// Where the answer is forecast: epsilon, or the logarithm of delta.
  double place() const { return wants_epsilon_ ? at_.epsilon : at_.log_delta; }
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }

  /// No loss exceeds this, so that delta is 0 from here on.
  double supremum() const { return infinity_mass_ > 0 ? infinity : finite_supremum_; }

  Answer solve();

  /// What `solve` ended with; null if that was no transform.
  std::shared_ptr<const FftComposition> pass() const { return pass_; }

 private:
  void forecast();
  double forecast_from(double log_delta);
  void add_infinity();
  double finite_delta() const;
  bool step_to_rung(double finite);
  bool step_off_rung();
  Answer infinite_loss() const;
  Answer beyond_finite_losses() const;
  bool take_next_to_supremum();
  double wanted_log_tolerance() const;
  double first_interval() const;
  void make_passes();
  bool is_met() const;
  double excess_gap() const;
  Plan affordable_plan(double interval, double cut);
  bool take_contour(const Plan& plan);
  bool take_enumeration(double most_bytes);
  double cost_a_question(const Plan& plan) const;
  void attempt(const std::function<void()>& plan);
  void take(const Answer& found);

  const Direction& direction_;
  Saddlepoint whole_, saddlepoint_;  // of all losses, and of those that truncation leaves
  bool wants_epsilon_;
  double value_;
  Limits limits_;
  double room_;
  Saddle at_{};
  double log_delta_ = 0;  // that the question was last forecast from
  bool on_rung_ = false;  // planned for a question nearby
  bool rungs_ = true;     // whether that may be
  double log_tolerance_ = 0;
  bool zero_forecast_ = false;
  int contour_passes_ = 0;
  double smoothing_ = 1;  // its share of the width, less with each pass
  double finite_supremum_ = 0, total_variation_ = 0;
  UnionProbability infinite_;  // that a loss is +inf
  double infinity_mass_ = 0;   // its upper bound
  std::shared_ptr<const FftComposition> pass_;
  Answer answer_;
};

}  // namespace hockeystick
