// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "numeric/union_probability.hpp"

namespace hockeystick {

/// Encloses epsilon at `delta` by the largest losses of a run alone. The enclosure meets the tolerance if delta is far
/// below the probability that every step has about its largest finite loss; else it may be [0, inf].
Interval epsilon_by_largest_losses(const Direction& direction, double delta, double tolerance);

/// Encloses the power at false positive rates by the largest losses of a run alone. The enclosure meets the tolerance
/// if the rate is below the probability under Q that every step has about its largest finite loss. Cost: one cell a
/// step.
class LargestLossPower {
 public:
  LargestLossPower(const Direction& direction, double tolerance);

  /// 0 < fpr < 1.
  Interval at(double fpr) const;

 private:
  struct Near {
    double loss, probability;
  };
  Interval infinite_;       // mass at +inf
  double largest_;          // upper bound of all finite losses
  std::vector<Near> near_;  // finite losses of at least `loss` have at least this probability
};

/// Encloses delta at an epsilon next to the largest loss of the run, by the probability that all steps have their
/// largest losses; empty at other epsilons. A width of `largest_loss_rounding` (1 + epsilon) also counts as tight.
std::optional<Answer> delta_next_to_largest_loss(const Direction& direction, double epsilon, double tolerance);

/// The probability of a loss of +inf: 1 - product of (1 - t_j)^n_j.
UnionProbability infinity_mass(const Direction& direction);

/// Upper bound of delta(0), which is the total variation, and so of every delta.
double total_variation(const Direction& direction);

}  // namespace hockeystick
