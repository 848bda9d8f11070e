// SPDX-License-Identifier: Apache-2.0
// The privacy loss of a run whose hockey-stick curve is known from above and from below.
//
// P(L > t) is the height at which the tangent of the curve at e^t meets alpha = 0. Chords between points of the upper
// and of the lower curve enclose the height. Where the two do not meet, the curve belongs to no one pair that is known:
// then the largest tail of all pairs that the guarantee allows counts, of which one attains the lower curve at e^t.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "methods/question.hpp"

namespace hockeystick {

/// Asks the delta of one ordered comparison of neighbours, or of its reverse, at each epsilon, between the two curves:
/// as closely as the question needs, or roughly. Deltas below `smallest` need not be known more closely.
using AskDeltas = std::function<std::vector<Answer>(bool of_reverse, std::span<const double> epsilons, bool roughly,
                                                    double smallest)>;

/// What is asked, and whether the two curves meet, so that they are those of one pair.
struct CurveOfLoss {
  AskDeltas deltas;
  std::function<std::vector<Answer>(std::span<const double> deltas)> epsilons;
  bool closes = false;
  double tolerance;  // of the deltas, unless they are asked roughly
};

/// Encloses P(L > epsilon) at each epsilon. Limited by "theory", unless it is as close as asked or deltas are limited
/// by memory: where two curves are known 0.1 % apart, chords leave some percent.
std::vector<Answer> tails_by_curve(const CurveOfLoss& of, std::span<const double> epsilons, const Limits& limits);

/// Encloses the smallest t with P(L > t) <= 1 - level, at each level.
std::vector<Answer> quantiles_by_curve(const CurveOfLoss& of, std::span<const double> levels, const Limits& limits);

}  // namespace hockeystick
