// SPDX-License-Identifier: Apache-2.0
#include "methods/engine.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "forecast/cost.hpp"
#include "methods/budgeted.hpp"
#include "methods/closed_form.hpp"
#include "methods/contour_integral.hpp"
#include "methods/fft_composition.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/grid_solver.hpp"
#include "methods/single_step.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Many questions share transforms: nats by which delta may fall before another is needed, how tight one is for the
// first of its questions, and how much of the memory is for those that wait for more.
constexpr double shared_room = 8, shared_tightness = 0.5, shared_memory = 0.25;

bool runs_once(const MergedDirection& direction) {
  return direction.terms.size() == 1 && direction.terms.front().count == 1;
}

// A single step needs no grid.
Answer one_step(const Direction& direction, bool wants_epsilon, double value, const Limits& limits) {
  const DominatingPair& pair = *direction.front().pair;
  const auto [lower, upper] = wants_epsilon ? single_step_epsilon(pair, value) : single_step_delta(pair, value);
  Answer answer;
  answer.lower = lower;
  answer.upper = upper;
  answer.converged = is_tight(lower, upper, limits.tolerance, !wants_epsilon);
  if (!answer.converged && !wants_epsilon) {
    if (const auto near = delta_next_to_largest_loss(direction, value, limits.tolerance)) {
      answer.lower = std::max(lower, near->lower);
      answer.upper = std::min(upper, near->upper);
      answer.converged = near->converged || is_tight(answer.lower, answer.upper, limits.tolerance, true);
    }
  }
  if (!answer.converged) answer.limited_by = "rounding";
  answer.passes = 1;
  const double epsilon = wants_epsilon ? upper : value;
  if (!std::isfinite(epsilon)) return answer;
  const auto at = single_step_delta(pair, epsilon);
  answer.rounding = at.upper - at.lower;
  return answer;
}

// Plain Gaussians by their formula, if that is as tight as asked.
std::optional<Answer> by_closed_form(const MergedDirection& direction, bool wants_epsilon, double value,
                                     const Limits& limits) {
  if (!direction.only_gaussian || limits.method != Method::any) return {};
  const GaussianCurve curve(direction.mu, direction.mu_error);
  const Interval found = wants_epsilon ? curve.epsilon(value) : curve.delta(value);
  Answer answer;
  answer.lower = found.lower, answer.upper = found.upper;
  if (!is_tight(found.lower, found.upper, limits.tolerance, !wants_epsilon)) return {};
  const Interval there = wants_epsilon ? curve.delta(found.upper) : found;
  answer.rounding = there.upper - there.lower;
  answer.passes = 1;
  answer.method = "closed_form";
  return answer;
}

// True only if delta(epsilon) of this direction is certainly no more than needed for the answer
// found already to be the larger one.
bool is_dominated(const Direction& direction, const GridSolver& solver, bool wants_epsilon, double value,
                  const Answer& found) {
  if (wants_epsilon && !(found.lower > 0)) return false;
  const double epsilon = wants_epsilon ? found.lower : value;
  const double goal = wants_epsilon ? value : found.lower;
  if (epsilon >= solver.supremum()) return true;
  const Saddle at = solver.saddlepoint().saddle_for_epsilon(epsilon);
  const double forecast = solver.saddlepoint().log_chernoff_delta(at.tilt, epsilon);
  const double room = std::log(goal) - forecast;
  if (!(at.tilt > 0) || room < 0) return false;  // not worth trying
  return chernoff_delta(direction, solver.saddlepoint(), at, epsilon, std::clamp(0.3 * room, 0.1, 2.0)) <= goal;
}

// By moments, where every direction has them and runs more than once. Returns for each value whether there is an
// answer.
std::vector<bool> by_contour(const std::vector<MergedDirection>& merged, bool wants_epsilon,
                             std::span<const double> values, const Limits& limits, std::span<Answer> answers) {
  std::vector<Direction> directions;
  std::size_t terms = 0;
  for (const MergedDirection& direction : merged) {
    if (direction.terms.empty() || runs_once(direction)) continue;
    directions.push_back(direction.terms);
    terms += direction.terms.size();
  }
  if (limits.method == Method::transform || limits.memory() < cost::line_bytes * static_cast<double>(terms) ||
      directions.empty() || directions.size() < merged.size())
    return std::vector<bool>(values.size());
  const Held room(cost::line_bytes * static_cast<double>(terms));
  return contour_answers(directions, wants_epsilon, values, limits, answers);
}

// Answers questions of rising epsilon one after another: many by the transforms of those before where they will do.
class ByGrid {
 public:
  ByGrid(const std::vector<MergedDirection>& merged, bool wants_epsilon, const Limits& limits, bool many)
      : merged_(merged), wants_epsilon_(wants_epsilon), limits_(limits), many_(many), kept_(merged.size()) {
    for (const MergedDirection& direction : merged) largest_ = std::max(largest_, largest_loss(direction.terms));
  }

  Answer solve(double value) {
    const bool is_lost = last_ && !wants_epsilon_ && last_->converged && last_->upper <= smallest_delta;
    if (is_lost && value < largest_) return below_last();
    if (many_) last_ = worst(value, shared_tightness * limits_.tolerance, 1 - shared_memory);
    if (!many_ || (!last_->converged && last_->limited_by != "rounding")) last_ = worst(value, limits_.tolerance, 1);
    return *last_;
  }

 private:
  // delta falls with epsilon, but how far is not known.
  Answer below_last() const {
    Answer answer = *last_;
    answer.lower = 0;
    return answer;
  }

  Answer worst(double value, double tolerance, double memory_share) {
    std::optional<Answer> result;
    const auto take = [&](const Answer& next) { result = result ? worse(*result, next, limits_.tolerance) : next; };
    const bool share = memory_share < 1;
    if (!share) kept_.assign(merged_.size(), nullptr);
    Limits limits = limits_;
    limits.tolerance = tolerance;
    limits.memory_limit = static_cast<std::size_t>(memory_share * static_cast<double>(limits.memory_limit));
    std::vector<std::size_t> open;
    std::vector<GridSolver> solvers;
    for (std::size_t i = 0; i < merged_.size(); ++i) {
      const Direction& terms = merged_[i].terms;
      if (terms.empty()) {
        take(Answer{});
      } else if (const auto closed = by_closed_form(merged_[i], wants_epsilon_, value, limits_)) {
        take(*closed);
      } else if (runs_once(merged_[i])) {
        take(one_step(terms, wants_epsilon_, value, limits_));
      } else if (const auto found = by_kept(i, value)) {
        take(*found);
      } else {
        kept_[i].reset();
        open.push_back(i);
        solvers.emplace_back(terms, wants_epsilon_, value, limits, share ? shared_room : 0);
      }
    }
    std::vector<std::size_t> order(open.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return solvers[a].place() > solvers[b].place(); });
    for (const std::size_t k : order) {
      if (!share && result && is_dominated(merged_[open[k]].terms, solvers[k], wants_epsilon_, value, *result))
        continue;
      take(judged(solvers[k].solve()));
      if (share) keep(open[k], solvers[k].pass());
    }
    return result.value_or(Answer{});
  }

  std::optional<Answer> by_kept(std::size_t i, double value) const {
    if (!kept_[i] || (!wants_epsilon_ && value >= largest_)) return {};  // which tells more
    Answer found = kept_[i]->answer(wants_epsilon_, value);
    found.passes = 1;
    found.converged = is_tight(found.lower, found.upper, limits_.tolerance, !wants_epsilon_);
    return found.converged ? std::optional(found) : std::nullopt;
  }

  // By the tolerance wanted, not that of a shared transform.
  Answer judged(Answer found) const {
    if (is_tight(found.lower, found.upper, limits_.tolerance, !wants_epsilon_))
      found.converged = true, found.limited_by = {};
    return found;
  }

  void keep(std::size_t i, std::shared_ptr<const FftComposition> pass) {
    if (!pass) return;
    double bytes = pass->bytes();
    for (const auto& other : kept_) bytes += other ? other->bytes() : 0;
    if (bytes <= shared_memory * limits_.memory()) kept_[i] = std::move(pass);
  }

  const std::vector<MergedDirection>& merged_;
  bool wants_epsilon_;
  Limits limits_;
  bool many_;
  double largest_ = 0;                                       // no loss is above it
  std::vector<std::shared_ptr<const FftComposition>> kept_;  // of each direction
  std::optional<Answer> last_;
};

// Indices of questions by rising epsilon.
std::vector<std::size_t> rising(std::span<const double> values, bool wants_epsilon) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return wants_epsilon ? values[a] > values[b] : values[a] < values[b];
  });
  return order;
}

std::vector<Answer> answers_within(std::span<const Direction> directions, bool wants_epsilon,
                                   std::span<const double> values, const Limits& limits) {
  std::vector<MergedDirection> merged;
  for (const Direction& direction : directions) merged.push_back(merge_gaussians(direction));
  std::vector<Answer> answers(values.size());
  const std::vector<bool> found = by_contour(merged, wants_epsilon, values, limits, answers);
  if (std::find(found.begin(), found.end(), false) == found.end()) return answers;
  ByGrid grid(merged, wants_epsilon, limits, values.size() > 1);
  std::size_t asked = 0;
  for (const std::size_t i : rising(values, wants_epsilon)) {
    checkpoint_each<16>(asked++);
    if (!found[i]) answers[i] = grid.solve(values[i]);
  }
  return answers;
}

std::vector<Answer> answers_to(std::span<const Direction> directions, bool wants_epsilon,
                               std::span<const double> values, const Limits& limits) {
  check_floating_point_environment();
  const double most = wants_epsilon ? infinity : 1.0;
  return budgeted(directions, values.size(), limits, {0, most},
                  [&] { return answers_within(directions, wants_epsilon, values, limits); });
}

}  // namespace

std::vector<Answer> epsilon_bounds(std::span<const Direction> directions, std::span<const double> deltas,
                                   const Limits& limits) {
  return answers_to(directions, true, deltas, limits);
}

std::vector<Answer> delta_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits) {
  return answers_to(directions, false, epsilons, limits);
}

}  // namespace hockeystick
