// SPDX-License-Identifier: Apache-2.0
// Where a contour should run for a question: forecasts only, no bound rests on them.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "mechanisms/mgf_line.hpp"
#include "plan/question.hpp"
#include "plan/transform_plan.hpp"

namespace hockeystick {

/// Where the line runs and where the Chernoff bounds are taken: lower < tilt < higher; lower >= 0.
struct Contour {
  double lower, tilt, higher;
  double period;  // of what the sum repeats [nats]
  std::size_t count;
};

using Lines = std::vector<std::unique_ptr<MgfLine>>;

/// A contour and what the lines that serve it are for.
struct ContourPlan {
  Contour contour;
  LineNeeds needs;
  double log_fraction;  // of delta, that each part of the errors is forecast to be
  double cost;          // [ns]
};

/// A line through the saddle, or to the left of it where losses are rare and huge, and the period at which by the
/// forecast each alias is e^log_fraction of delta; no count of samples yet. `flattest`: how far to the left, of the
/// saddle's tilt. `highest`: of its tilts. `rounding`: of the product of moments, relative to that at the tilt.
constexpr double flattest_line = 0.4;
double likely_rounding(const Saddlepoint& saddlepoint);
struct ContourFrame {
  Contour contour;
  Cumulants cumulants;  // at its tilt
};
ContourFrame contour_frame(const Saddlepoint& saddlepoint, const Saddle& at, double log_fraction, double rounding,
                           double flattest = flattest_line, double highest = infinity);

/// Plans for one direction of one question, each from what the one before it found.
class ContourPlanner {
 public:
  /// `most_nodes`: of a line.
  ContourPlanner(const Direction& direction, const Question& question, double most_nodes);

  /// The next plan; none where it costs more than `patience` times what a transform is forecast to. `lines`: of all
  /// terms, or none of very many.
  std::optional<ContourPlan> next(Lines& lines, double patience = 1);

  /// Whether there was no plan for its cost alone.
  bool is_dear() const { return is_dear_; }
  /// What the plan of a transform costs [ns], where that is more than the forecast without one.
  void learn_of_transform(double cost) { of_planned_transform_ = cost; }

  /// Whether one large loss says where epsilon is.
  bool is_large_loss() const { return is_large_loss_; }
  /// Where epsilon is forecast.
  double epsilon() const { return at_.epsilon; }
  /// Whether an epsilon lies where contours for the forecast one say little.
  bool is_elsewhere(double epsilon) const;
  /// Where the question lies, its tilt below outliers.
  const Saddle& at() const { return at_; }
  /// Of all losses that were not cut.
  const Saddlepoint& saddlepoint() const { return saddlepoint_; }
  /// For lines that leave the rarest losses out: the mass that they may cut.
  double cut();
  /// Whether the saddle may carry a contour.
  bool is_answerable() const;
  /// The wanted relative width of delta.
  double log_tolerance() const;

  /// Forecasts anew from delta and the slope -d log delta / d epsilon that a sum found at `epsilon`, and the rounding
  /// of its product of moments, relative to that at the tilt; false if that says nothing.
  bool learn(double epsilon, double delta, double slope, double rounding = 0);

 private:
  void seek(double epsilon);
  // Where one large loss decides, its epsilon in place of one that the moments have too high.
  void seek_large_loss();
  void place(double epsilon, double log_delta, double slope);
  // Of an epsilon that is 0, log of how far its delta is above delta(0).
  double above_zero() const;
  std::optional<ContourPlan> plan(Lines& lines, double patience, double most_samples = infinity);
  void restore();
  double cut_for_one();
  Saddlepoint near(double log_delta) const;
  Saddle below_outliers(Saddle at, const Saddlepoint& near);
  // The highest tilt at which nodes tell of M, if it were about this.
  double highest_carried(double tilt) const;
  Saddle near_delta(double log_delta);
  Saddle near_epsilon(const Saddlepoint& saddlepoint, double epsilon);
  Contour frame();
  void lengthen(const Lines& lines, Contour& contour) const;  // the period, to what the lines themselves ask for
  bool make_lines(const LineNeeds& needs, Lines& lines) const;
  double samples_needed(const Lines& lines, double spacing, double least, double most) const;
  double log_tail(const Lines& lines, double spacing, double count) const;

  double terms_;
  Direction planned_;  // thinned
  Saddlepoint saddlepoint_;
  Question question_;
  std::size_t most_nodes_;
  Saddle at_{};
  double transform_tilt_ = 0;  // of the same saddle, whatever outliers add
  double log_fraction_ = 0, deviation_ = 0, log_sum_ = 0;
  double samples_wanted_ = 0;        // about, but for a factor
  double caution_ = 1;               // grows with each failure
  double rounding_;                  // of the product of moments, relative to that at the tilt
  double of_planned_transform_ = 0;  // its cost, if that is known [ns]
  bool is_dear_ = false;
  bool is_large_loss_ = false;                           // that epsilon is known from
  bool is_for_one_ = false;                              // whether the cut is
  double cut_ = 0;                                       // P-mass of the largest losses that a line may leave out
  std::optional<std::pair<Saddlepoint, Saddle>> whole_;  // of all losses, from before a cut
};

}  // namespace hockeystick
