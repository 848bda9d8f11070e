// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "numeric/union_probability.hpp"

namespace hockeystick {

/// Encloses epsilon at `delta` by the largest losses of a run alone: [0, inf] where they say nothing, and tight to the
/// tolerance where delta is far below the probability that every step has about its largest finite loss.
Interval epsilon_by_largest_losses(const Direction& direction, double delta, double tolerance);

/// Encloses the power at false positive rates by the largest losses of a run alone, tight to the tolerance where the
/// rate is below the probability under Q that every step has about its largest finite loss. Cost: one cell a step.
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
  double largest_;          // no finite loss is above
  std::vector<Near> near_;  // finite losses of at least so much have at least that probability
};

/// Encloses delta at an epsilon next to the largest loss, by the probability that all steps have theirs; nothing
/// elsewhere. Met as well if no more than `largest_loss_rounding` (1 + epsilon) is left of delta.
std::optional<Answer> delta_next_to_largest_loss(const Direction& direction, double epsilon, double tolerance);

/// The probability of a loss of +inf: 1 - product of (1 - t_j)^n_j.
UnionProbability infinity_mass(const Direction& direction);

/// Upper bound of delta(0), which is the total variation, and so of every delta.
double total_variation(const Direction& direction);

/// The same for steps of small losses, from the moment E e^L of each; 1 where that says nothing.
double total_variation_by_moments(const Direction& direction);

}  // namespace hockeystick
