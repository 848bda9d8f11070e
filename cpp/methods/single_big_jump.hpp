// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "methods/fft_composition.hpp"
#include "methods/tilted_tables.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A composition in which delta is the probability of one loss so large that a tilt which makes it likely makes many
/// such losses likelier still, as at small sampling rates: no tilt shows one beside the rest. Each step is split at a
/// loss. What lies below composes by transforms, one loss above is summed directly, and two are as good as infinite.
class SingleBigJump {
 public:
  /// `at`: epsilon or log delta are known, by `wants_epsilon`, the other is forecast here.
  SingleBigJump(const Direction& direction, const Saddlepoint& saddlepoint, bool wants_epsilon, double value,
                const Limits& limits);

  /// Whether there are such losses, and the memory sufficed; nothing else may be asked if not.
  bool applies() const { return !large_.empty(); }

  Interval epsilon(double delta) const;
  Interval delta(double epsilon) const;

  double interval() const { return interval_; }

  /// Of delta: two large losses, and what is as good as +inf.
  double left_out() const { return rest_above_ + std::max(0.0, infinity_above_ - infinity_below_); }

 private:
  struct Large {
    StepPmf upper, lower;  // what lies above the split
    double count;
    TiltedTables others;  // all steps but this one, below theirs
  };
  void forecast(const Direction& direction, const Saddlepoint& saddlepoint, bool wants_epsilon, double value,
                double tolerance);
  void split(const Direction& direction, const DiscretizedSteps& steps, const Limits& limits);
  double above(double epsilon) const;
  double below(double epsilon) const;

  double log_delta_ = 0, epsilon_ = 0, slope_ = 0, log_tolerance_ = 0, interval_ = 0;
  Held room_;
  std::vector<double> splits_;  // of the terms [nats]
  std::vector<StepPmf> small_upper_, small_lower_;
  std::optional<TiltedTables> none_;  // no large loss
  std::vector<Large> large_;
  double excess_factor_ = 1, rest_above_ = 0, infinity_above_ = 0, infinity_below_ = 0;
};

}  // namespace hockeystick
