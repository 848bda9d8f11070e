// SPDX-License-Identifier: Apache-2.0
// Plans the position of a question's contour. No bound depends on a plan.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/mgf_line.hpp"
#include "plan/contour_frame.hpp"
#include "plan/question.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

using Lines = std::vector<std::unique_ptr<MgfLine>>;

/// A contour, and the needs of its lines. Contours of atoms and of discretized steps are smoothed.
struct ContourPlan {
  Contour contour{};
  LineNeeds needs{};
  double log_fraction = 0;  // log of the forecast of each kind of error, relative to delta
  double cost = infinity;   // [ns]
  double smoothing = 0;     // standard deviation [nats]
  double reach = 0;         // up to this frequency moduli beyond the samples are bounded; 0: only smoothing bounds them
  Closing closing{};
};

/// Below this log of delta, samples and their products approach the smallest doubles.
constexpr double least_log_delta = -680;

/// Plans contours for one direction of one question. Each plan uses the earlier answers.
class ContourPlanner {
 public:
  /// `most_nodes`: the most nodes that a line may have.
  ContourPlanner(const Direction& direction, const Question& question, double most_nodes);

  /// The next plan; none if it costs more than `rival` [ns], or than a transform if `rival` is 0. `lines` receives the
  /// lines of all terms, unless there are too many terms to keep them.
  std::optional<ContourPlan> next(Lines& lines, double rival = 0);

  /// The cost up to which the last `next` made plans [ns].
  double budget() const { return budget_; }

  /// Whether the last `next` returned no plan because of its cost alone.
  bool is_dear() const { return is_dear_; }

  /// The forecast of epsilon.
  double epsilon() const { return at_.epsilon; }
  /// The forecast saddle point, of 1 - delta if the next contour is of 1 - delta; its tilt is low enough that rare huge
  /// losses hardly change the moment.
  const Saddle& at() const { return at_; }

  /// Moves the forecast to `epsilon`, where a sum found `delta`, the slope -d log delta / d epsilon and the rounding of
  /// its product of moments, relative to the product at the tilt. False if that does not help.
  bool learn(double epsilon, double delta, double slope, double rounding = 0);

 private:
  // Whether a contour through the saddle point can answer.
  bool is_answerable() const;
  // Relative width of delta that meets the tolerance.
  double log_tolerance() const;
  // Forgets the rarest losses. Returns the P-mass that lines may leave out.
  double cut();
  void seek(double epsilon);
  // If delta is forecast to be next to 1: replaces the forecast by that of 1 - delta.
  void seek_complement();
  // If one large loss determines delta, moments forecast epsilon too high: replaces their forecast.
  void seek_large_loss();
  void place(double epsilon, double log_delta, double slope);
  // log of the given delta over the forecast of delta(0).
  double above_zero() const;
  std::optional<ContourPlan> plan(Lines& lines, double rival, double most_samples = infinity);
  double cut_for_one();
  Saddlepoint near(double log_delta) const;
  Saddle below_outliers(Saddle at, const Saddlepoint& near);
  // The highest tilt at which nodes can integrate M, by its value at about this tilt.
  double highest_carried(double tilt) const;
  Saddle near_delta(double log_delta);
  Saddle near_epsilon(const Saddlepoint& saddlepoint, double epsilon);
  Contour frame();
  void lengthen(const Lines& lines, Contour& contour) const;  // the period, by the lines' own bounds
  bool make_lines(const LineNeeds& needs, Lines& lines) const;
  double samples_needed(const Lines& lines, double spacing, double least, double most) const;
  double truncation(const Lines& lines, double frequency) const;
  double log_modulus(const Lines& lines, double frequency) const;
  double log_missed(const Lines& lines, double spacing, double frequency, double count) const;
  double log_tail(const Lines& lines, double spacing, double count) const;

  double terms_;
  Direction planned_;  // thinned
  Saddlepoint saddlepoint_;
  Question question_;
  std::size_t most_nodes_;
  Saddle at_{};                  // of 1 - delta as long as `right_` holds the other one
  std::optional<Saddle> right_;  // of delta, at a tilt right of 0
  double transform_tilt_ = 0;    // of the saddle point before it was lowered
  double log_fraction_ = 0, deviation_ = 0, log_sum_ = 0;
  double samples_wanted_ = 0;  // proportional to the forecast count of samples
  double caution_ = 1;         // factor on the frequency, which grows with each failure
  double rounding_;            // of the product of moments, relative to the product at the tilt
  double budget_ = 0;
  bool is_dear_ = false;
  bool is_large_loss_ = false;  // whether epsilon is forecast from one large loss
  double cut_ = 0;              // P-mass of the largest losses that a line may leave out
};

}  // namespace hockeystick
