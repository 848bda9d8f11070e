// SPDX-License-Identifier: Apache-2.0
// Compositions of explicit steps, composed anew for each question with a suitable tilt: an untilted composition cannot
// resolve deltas below the errors of its transform.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "forecast/window.hpp"
#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Steps of the same side and interval, without offsets, and how often each is composed.
class ExplicitComposition {
 public:
  struct StepCount {
    std::shared_ptr<const StepPmf> step;
    std::int64_t count;
  };

  /// Throws std::invalid_argument if sides or intervals differ, or a step has no finite mass.
  explicit ExplicitComposition(std::vector<StepCount> terms);

  Side side() const { return terms_.front().step->side; }

  /// The untilted distribution; its window loses at most about `tail_mass` at each end.
  LossPmf distribution(double tail_mass, std::size_t memory_limit) const;

  /// Bounds of delta at each epsilon >= 0, of the steps' side, with relative width.
  void deltas(std::span<const double> epsilons, std::span<double> to, std::size_t memory_limit) const;

  /// Bounds of epsilon at each delta in (0, 1), of the steps' side.
  void epsilons(std::span<const double> deltas, std::span<double> to, std::size_t memory_limit) const;

 private:
  bool is_single() const { return terms_.size() == 1 && terms_.front().count == 1; }
  /// Upper bound of delta of an upper composition, from the composition's largest loss alone.
  double beyond_top(double epsilon) const;
  Saddle saddle(double value, bool wants_epsilon) const;
  LossPmf composed(const WindowForecast& window, const Saddlepoint& saddlepoint, double tilt,
                   std::size_t memory_limit) const;
  LossPmf tilted_at(double value, bool wants_epsilon, std::size_t memory_limit) const;

  std::vector<StepCount> terms_;
  Direction counts_;                  // without pairs
  std::vector<StepPmf> outlines_;     // for forecasts
  double infinity_mass_ = 0;          // upper bound for the composition, if the steps are upper ones
  double largest_infinity_mass_ = 0;  // of one step
  double top_ = 0;                    // no finite loss exceeds this, errors included
  double lowest_ = 0, highest_ = 0;   // the first and last loss, in intervals
};

}  // namespace hockeystick
