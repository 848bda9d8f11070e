// SPDX-License-Identifier: Apache-2.0
// The tail P(L > epsilon) and the quantiles of a composition's privacy loss L.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "views/curve_points.hpp"

namespace hockeystick {

/// Encloses P(L > epsilon) at each epsilon, for the worst direction; relative width.
std::vector<Answer> loss_tail_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                     std::span<const double> epsilons, const Limits& limits);

/// Encloses the smallest t with P(L <= t) >= level at each level in (0, 1), for the worst direction. The tolerance is a
/// fraction of the forecast standard deviation of L or, where that takes much work, of the distance over which the tail
/// falls by a factor of e. `reverses`: of each direction its reverse, which answers deltas at negative losses; empty if
/// these are not known.
std::vector<Answer> loss_quantile_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                         std::span<const double> levels, const Limits& limits);

/// The loss of a run whose curve is known from above and from below.
struct CurveOfLoss {
  const Direction& about;  // pairs above: a guess of where the loss lies
  AskDeltas deltas;
  double finest;    // the tolerance of deltas that need be no closer
  double infinite;  // a lower bound of P(L = inf)
  bool closes;      // whether the two curves may meet, so that they are those of one pair
  std::span<const Answer>
      others;  // answers of other directions at the points, or none: this one need not be known below
};

/// The same for such a run. Where the two curves do not meet, the answer is about the largest tail of all pairs between
/// the curves, one of which attains the lower curve. Limited by "theory", unless the answer is as close as asked or
/// deltas are limited by memory: where two curves are 0.1 % apart, chords leave some percent.
std::vector<Answer> loss_tails_between(const CurveOfLoss& of, std::span<const double> epsilons, const Limits& limits);
std::vector<Answer> loss_quantiles_between(const CurveOfLoss& of, std::span<const double> levels, const Limits& limits);

}  // namespace hockeystick
