// SPDX-License-Identifier: Apache-2.0
#include "run/kept_run.hpp"

#include <algorithm>
#include <limits>

#include "methods/budgeted.hpp"
#include "methods/questions.hpp"

namespace hockeystick {
namespace {

constexpr double largest_bytes = 0x1p21;  // the most that is kept

// The evaluator that answers the question for one direction.
std::shared_ptr<const Evaluator> solved(const Direction& direction, Question question, Limits limits) {
  const MergedDirection run = merge_gaussians(direction);
  question.log_margin = shared_margin;
  limits.method = run.only_gaussian ? "closed_form" : "contour_integral";
  Solver solver(run, question, limits);
  solver.solve();
  return solver.evaluator();
}

}  // namespace

std::shared_ptr<KeptRun> KeptRun::of(std::span<const Direction> directions, const Question& question,
                                     const Limits& limits) try {
  const Budget budget(static_cast<double>(limits.memory_limit));
  const Held tables(table_bytes(directions));
  // The line of the worst direction serves the others, which may have none of their own: each direction is tried as the
  // worst.
  for (std::size_t first = 0; first < directions.size(); ++first) {
    const auto made = std::make_shared<KeptRun>();
    made->evaluators_.resize(directions.size());
    auto& worst = made->evaluators_[first];
    if (!(worst = solved(directions[first], question, limits))) continue;
    for (std::size_t j = 0; j < directions.size(); ++j) {
      if (j == first) continue;
      made->evaluators_[j] = worst->sibling(merge_gaussians(directions[j]).terms);
      if (!made->evaluators_[j]) made->evaluators_[j] = solved(directions[j], question, limits);
    }
    if (made->answer(question.quantity, question.at, limits)) return made;
  }
  return nullptr;
} catch (const OverBudget&) {
  return nullptr;
}

std::shared_ptr<KeptRun> KeptRun::grown(std::span<const Direction> more) const {
  const auto result = std::make_shared<KeptRun>();
  for (std::size_t j = 0; j < evaluators_.size(); ++j) {
    result->evaluators_.push_back(evaluators_[j]->grown(more[j]));
    if (!result->evaluators_.back()) return nullptr;
  }
  return result;
}

std::optional<Answer> KeptRun::answer(Quantity quantity, double at, const Limits& limits) const {
  if (is_pure(quantity, at)) return {};  // moments say nothing of the largest loss
  double bytes = 0;
  for (const auto& evaluator : evaluators_) bytes += evaluator ? evaluator->bytes() : infinity;
  if (bytes > std::min(largest_bytes, limits.memory())) return {};
  std::optional<Answer> worst;
  for (const auto& evaluator : evaluators_) {
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    // A direction has no part in the answer where its delta at an epsilon of the answer is no larger than asked for.
    if (worst && quantity == Quantity::epsilon && worst->lower < infinity &&
        evaluator->answer(Quantity::delta, worst->lower, unknown).upper <= at)
      continue;
    const Answer found = evaluator->answer(quantity, at, unknown);
    if (!(found.lower <= found.upper)) return {};
    worst = worst ? hockeystick::worse(*worst, found, limits.tolerance) : found;
  }
  if (!worst || !is_tight(*worst, Question{quantity, at, limits.tolerance})) return {};
  worst->converged = true, worst->limited_by = {}, worst->passes = 1, worst->total_cost = worst->cost;
  return worst;
}

}  // namespace hockeystick
