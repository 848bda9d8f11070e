// SPDX-License-Identifier: Apache-2.0
// Questions of users within their memory limit, and refusals with the best bounds.
#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {

/// Bytes of the pairs' tables; each pair counts once.
inline double table_bytes(std::span<const Direction> directions) {
  std::set<const DominatingPair*> counted;
  double bytes = 0;
  for (const Direction& direction : directions)
    for (const Term& term : direction)
      if (const double own = term.pair->table_bytes(); own > 0 && counted.insert(term.pair.get()).second) bytes += own;
  return bytes;
}

/// Asks refused questions again at looser tolerances.
class LooserTolerances {
 public:
  LooserTolerances(std::span<const double> points, std::span<Answer> answers, double tolerance)
      : points_(points), answers_(answers), asked_(tolerance) {
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (!answers[i].converged) open_.push_back({i, false});
  }

  /// Moves to the next tolerance; false if there is none.
  bool next() {
    tolerance_ = tolerance_ > 0.5 ? 0.5 : tolerance_ > 0.1 ? 0.1 : 0.1 * tolerance_;
    open_points_.clear();
    for (const Open& each : open_) open_points_.push_back(points_[each.index]);
    return !open_.empty() && tolerance_ > 1.001 * asked_;
  }
  double tolerance() const { return tolerance_; }
  std::span<const double> points() const { return open_points_; }

  template <class IsEnough>
  void take(std::span<const Answer> found, const IsEnough& is_enough) {
    std::vector<Open> left;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      auto [index, was_met] = open_[k];
      Answer& answer = answers_[index];
      answer.lower = std::max(answer.lower, found[k].lower), answer.upper = std::min(answer.upper, found[k].upper);
      answer.converged = is_enough(answer);
      if (answer.converged)
        answer.limited_by = {};
      else if (found[k].converged || !was_met)
        left.push_back({index, found[k].converged});
    }
    open_ = std::move(left);
  }

 private:
  struct Open {
    std::size_t index;
    bool was_met;  // whether the answer met the tolerance before
  };
  std::span<const double> points_;
  std::span<Answer> answers_;
  double asked_, tolerance_ = 1;
  std::vector<Open> open_;
  std::vector<double> open_points_;
};

/// Marks the bounds as limited by memory.
inline void refuse(Answer& answer, double bytes) {
  answer.converged = false;
  answer.limited_by = "memory_limit";
  answer.required_bytes = static_cast<std::size_t>(std::min(bytes, 9e18));
}
/// Whether the error is that of work, and not of memory: by its message, as WebAssembly modules have no type
/// information.
inline bool is_over_work(const OverBudget& over) { return std::string_view(over.what()) == OverWork::message; }

/// The same, or by work.
inline void refuse(Answer& answer, const OverBudget& over) {
  refuse(answer, over.bytes());
  if (is_over_work(over)) answer.limited_by = "passes";
}

/// Throws std::invalid_argument for a null pair, or a count out of range.
inline void check_terms(std::span<const Term> terms) {
  for (const Term& term : terms) {
    if (!term.pair) throw std::invalid_argument("terms must hold dominating pairs, got none");
    checked("count", static_cast<double>(term.count), ranges::count);
  }
}

/// The same for all directions, and for limits out of range. Tolerances may be below those of users, as questions ask
/// others.
inline void check_question(std::span<const Direction> directions, const Limits& limits) {
  for (const Direction& direction : directions) check_terms(direction);
  checked("tolerance", limits.tolerance, ranges::inner_probability);
  checked("memory_limit", static_cast<double>(limits.memory_limit), ranges::positive);
}

/// Calls `ask(points, limits)` within the memory limit, which includes the pairs' tables. If it is too small for any
/// answer, each point is refused with the bounds in `known`.
template <class Ask>
std::vector<Answer> within_memory(std::span<const Direction> directions, std::span<const double> points,
                                  const Limits& limits, const Interval& known, Ask&& ask) {
  try {
    const Budget budget(static_cast<double>(limits.memory_limit));
    const Held tables(table_bytes(directions));
    return ask(points, limits);
  } catch (const OverBudget& over) {
    Answer refused;
    refused.lower = known.lower;
    refused.upper = known.upper;
    refuse(refused, over);
    return std::vector<Answer>(points.size(), refused);
  }
}

/// The work that a question about this number of points may take [ns].
inline double work_of(std::size_t points) {
  return tuning::most_work * (1 + static_cast<double>(points) / tuning::points_of_work);
}

/// The same for a question of a user, within the work of one question. Refused points are asked again at looser
/// tolerances, from the loosest on until one is refused after one was met, so that a refusal has the best bounds of
/// them all; all of that within as much work again. `is_enough`: whether bounds meet the tolerance.
template <class Ask, class IsEnough>
std::vector<Answer> budgeted(std::span<const Direction> directions, std::span<const double> points,
                             const Limits& limits, const Interval& known, Ask&& ask, IsEnough&& is_enough) {
  check_question(directions, limits);
  const bool is_part = Budget::left() < infinity;  // of another question, which handles refusals
  if (is_part) return within_memory(directions, points, limits, known, ask);
  const double most = work_of(points.size());
  std::vector<Answer> answers;
  {
    const WorkLimit work(most);
    answers = within_memory(directions, points, limits, known, ask);
  }
  if (!limits.method.empty()) return answers;
  const WorkLimit work(most);
  LooserTolerances looser(points, answers, limits.tolerance);
  while (looser.next()) {
    Limits at = limits;
    at.tolerance = looser.tolerance();
    looser.take(within_memory(directions, looser.points(), at, known, ask), is_enough);
  }
  return answers;
}
template <class Ask>
std::vector<Answer> budgeted(std::span<const Direction> directions, std::span<const double> points,
                             const Limits& limits, const Interval& known, Ask&& ask) {
  return budgeted(directions, points, limits, known, std::forward<Ask>(ask), [](const Answer&) { return false; });
}

}  // namespace hockeystick
