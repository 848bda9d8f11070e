// SPDX-License-Identifier: Apache-2.0
// Questions about a run: the worst of its directions, at many values.
#pragma once

#include <span>
#include <vector>

#include "methods/engine.hpp"

namespace hockeystick {

/// For at most this number of questions, an evaluator for each of them costs less than one that all share.
inline constexpr std::size_t few_questions = 16;
/// Evaluators that many questions share are made for deltas of this many nats less, too.
inline constexpr double shared_margin = 8;

/// Encloses, for each delta, the smallest epsilon >= 0 at which the worst of the directions has
/// delta(epsilon) <= delta. 0 <= delta < 1; at 0 that is the largest loss.
std::vector<Answer> epsilon_bounds(std::span<const Direction> directions, std::span<const double> deltas,
                                   const Limits& limits);

/// Encloses delta(epsilon), the largest over the directions, at each epsilon. epsilon >= 0, finite.
std::vector<Answer> delta_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits);

/// A curve within another question about it: the evaluators of earlier answers are asked first.
class KeptCurve {
 public:
  /// `settles`: whether points next to a refused one are asked less closely.
  explicit KeptCurve(std::span<const Direction> directions, bool settles = false);
  explicit KeptCurve(const Direction& direction) : KeptCurve({&direction, 1}, true) {}
  /// As `curve_bounds`.
  std::vector<Answer> deltas(std::span<const double> epsilons, const Limits& limits);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// As `delta_bounds`, at any finite epsilons >= 0: losses, at which questions about the loss ask, have no range. For
/// losses below 0 the reverse directions are asked: no method bounds delta there. `kept`: the curve of these
/// directions.
std::vector<Answer> curve_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits, KeptCurve* kept = nullptr);

/// Answers a question about each direction by itself, and reports the part of each method.
std::vector<std::vector<Explanation>> explain(std::span<const Direction> directions, Quantity quantity, double at,
                                              const Limits& limits);

}  // namespace hockeystick
