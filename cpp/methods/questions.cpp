// SPDX-License-Identifier: Apache-2.0
#include "methods/questions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/largest_loss.hpp"
#include "numeric/order.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

constexpr double shared_memory = 0.5;  // the part of it for evaluators that questions of one array share

// One direction of a run, with the evaluator that answered the question before and those that answered earlier ones.
class Run {
 public:
  explicit Run(const Direction& direction) : merged_(merge_gaussians(direction)) {}

  const MergedDirection& merged() const { return merged_; }
  const Direction& terms() const { return merged_.terms; }
  const std::shared_ptr<const Evaluator>& kept() const { return kept_; }

  void keep(std::shared_ptr<const Evaluator> evaluator) {
    if (kept_ && kept_->bytes() <= most_aside) aside_.insert(aside_.begin(), std::move(kept_));
    if (aside_.size() > most_kept) aside_.pop_back();
    kept_ = std::move(evaluator), ahead_ = {};
  }
  void forget() { kept_ = {}, aside_.clear(), ahead_ = {}; }

  /// The answer of the first other evaluator that is as close as asked; this evaluator is kept then.
  std::optional<Answer> ask_others(const Question& question, double near) {
    for (std::size_t i = 0; i < aside_.size(); ++i) {
      Answer found = aside_[i]->answer(question.quantity, question.at, near);
      if (!is_closed(found, question, found.cost)) continue;
      std::shared_ptr<const Evaluator> next = std::move(aside_[i]);
      aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(i));
      keep(std::move(next));
      return found;
    }
    return {};
  }

  /// The answer of the evaluator kept to the first of these values. Deltas at rising epsilons are taken in blocks,
  /// which grow while they are used up.
  Answer& ask(Quantity quantity, std::span<const double> values, double near) {
    const std::ptrdiff_t at = ahead_.empty() ? 0 : values.data() - ahead_.data();
    if (at < std::ssize(ahead_)) return answers_[static_cast<std::size_t>(at)];
    const bool is_next = !ahead_.empty() && at == std::ssize(ahead_);
    const std::size_t most = quantity == Quantity::delta && is_next ? 2 * ahead_.size() : 1;
    ahead_ = values.first(std::min({most, largest_block, values.size()}));
    answers_.resize(ahead_.size());
    if (quantity == Quantity::delta)
      kept_->deltas(ahead_, answers_);
    else
      answers_.front() = kept_->answer(quantity, values.front(), near);
    return answers_.front();
  }

  /// Called before questions at other values.
  void begin() { ceiling = 1, ahead_ = {}; }

  /// delta of this direction is no larger from the largest epsilon asked so far on.
  double ceiling = 1;

 private:
  MergedDirection merged_;
  std::shared_ptr<const Evaluator> kept_;
  std::vector<std::shared_ptr<const Evaluator>> aside_;
  static constexpr std::size_t largest_block = 64, most_kept = 4;
  static constexpr double most_aside = 1 << 22;  // bytes
  std::span<const double> ahead_;                // the values that are answered
  std::vector<Answer> answers_;
};

// Answers questions in order of increasing epsilon, reusing an evaluator while its answers are tight.
class Engine {
 public:
  /// `shares`: whether more than one question is going to be asked.
  /// `settles`: whether points next to a refused one are asked less closely.
  Engine(std::span<const Direction> directions, bool shares, bool settles = false)
      : shares_(shares), settles_(settles) {
    runs_.reserve(directions.size());
    for (const Direction& direction : directions) runs_.emplace_back(direction);
    for (const Run& run : runs_) largest_ = shares_ ? std::max(largest_, largest_loss(run.terms())) : infinity;
  }

  /// Questions at these values.
  std::vector<Answer> answers(Quantity quantity, std::span<const double> values, const Limits& limits) {
    limits_ = limits;
    is_many_ = values.size() > few_questions;
    margin_ = is_many_ ? shared_margin : 0;
    alone_ = shared_ = {};
    question_ = {quantity, 0, limits.tolerance, 0, limits.enough, settles_};
    worst_.reset(), plan_.reset(), near_ = unknown;
    for (Run& run : runs_) run.begin();
    const std::vector<std::size_t> order = positions_by(  // by rising epsilon
        values.size(), [&](std::size_t i) { return quantity == Quantity::epsilon ? -values[i] : values[i]; });
    std::vector<double> sorted;
    for (const std::size_t i : order) sorted.push_back(values[i]);
    std::vector<Answer> result(values.size());
    Answer refused;
    for (std::size_t k = 0; k < order.size(); ++k) {
      checkpoint_each<16>(k);
      Answer& found = result[order[k]] = solve(std::span(sorted).subspan(k));
      ++tally().answers;
      if (!settles_) continue;
      if (!found.converged) {
        refused = found;
        question_.tolerance = std::max(question_.tolerance, 1.5 * (found.upper - found.lower) / found.upper);
      } else if (!refused.converged && !is_tight(found, {quantity, 0, limits.tolerance, 0, limits.enough})) {
        found.converged = false, found.limited_by = refused.limited_by, found.required_bytes = refused.required_bytes;
      }
    }
    return result;
  }

 private:
  /// The first of these values, the others being asked next.
  const Answer& solve(std::span<const double> values) {
    question_.at = values.front();
    // The direction that decided the question before is asked first, as it shows that others do not matter.
    if (leader_ > 0) std::rotate(runs_.begin(), runs_.begin() + leader_, runs_.begin() + leader_ + 1);
    leader_ = 0;
    if (worst_) {
      const bool is_lost = !question_.wants_epsilon() && worst_->converged && worst_->upper <= limits_.floor();
      if (is_lost && question_.at < largest_) {
        worst_->lower = 0;  // delta falls with epsilon, but how far is not known
        worst_->passes = 0, worst_->cost = worst_->total_cost = 0;
        return *worst_;
      }
      near_ = question_.wants_epsilon() && std::isfinite(worst_->upper) ? worst_->upper : unknown;
    }
    worst_.reset();
    take_worst(values);
    // Questions that share a plan may ask too much of it. Where rare losses decide, tilts for smaller deltas may leave
    // less rounding than the tilt for this delta. The evaluator that answers is tried first from then on.
    const bool may_lack_room = shares_ && runs_.size() > 1;
    if (is_open() && (margin_ > 0 || may_lack_room || worst_->limited_by == "rounding")) {
      const Answer before = *std::exchange(worst_, std::nullopt);
      const double last = margin_;
      margin_ = last == 0 && before.limited_by == "rounding" ? shared_margin : 0;
      for (Run& run : runs_) run.forget();
      take_worst(values, true);
      if (is_open()) margin_ = last;
      if (worst_) add(before);
    }
    if (!worst_) worst_ = Answer{};
    return *worst_;
  }

  bool is_open() const { return worst_ && !worst_->converged; }

  void add(const Answer& before) {
    worst_->lower = std::max(worst_->lower, before.lower), worst_->upper = std::min(worst_->upper, before.upper);
    worst_->total_cost += before.total_cost;
  }

  // Evaluators of one kind: with a margin, or made for one question.
  struct Tally {
    double cost = 0;  // forecast [ns]
    std::size_t evaluators = 0, answers = 0;
  };

  Tally& tally() { return margin_ > 0 ? shared_ : alone_; }

  // With a margin an evaluator costs more, and answers more questions. An evaluator without margin is tried once those
  // with a margin answer few questions; from then on the kind that costs less for an answer is made.
  void choose_margin() {
    if (!is_many_) return;
    const double cost = shared_.cost * static_cast<double>(alone_.answers);
    const bool shares = alone_.answers == 0 ? shared_.answers >= few_questions * shared_.evaluators
                                            : cost <= alone_.cost * static_cast<double>(shared_.answers);
    margin_ = shares ? shared_margin : 0;
  }

  void take_worst(std::span<const double> values, bool again = false) {
    std::vector<Run*> open;
    for (Run& run : runs_) {
      if (run.terms().empty())
        take(Answer{});
      else if (!cannot_matter(run) && !by_kept(run, values))
        open.push_back(&run);
    }
    if (open.empty()) return;
    plan_.reset();
    if (!again) choose_margin();
    question_.log_margin = margin_;
    ++tally().evaluators;
    for (Run* run : open) {
      if (by_sibling(*run)) continue;
      run->keep(nullptr);
      Solver solver(run->merged(), question_, limits_);
      const Answer found = solver.solve(worst_ ? worst_->lower : -infinity);  // of a direction that is worse
      tally().cost += found.total_cost;
      take(found);
      see(*run, found);
      plan_ = solver.evaluator();
      if (shares_) keep(*run, plan_);
    }
  }

  void take(const Answer& next) { worst_ = worst_ ? hockeystick::worse(*worst_, next, limits_.tolerance) : next; }

  void see(Run& run, const Answer& found) {
    if (!question_.wants_epsilon()) run.ceiling = std::min(run.ceiling, found.upper);
    if (found.upper == worst_->upper) leader_ = &run - runs_.data();
  }

  bool cannot_matter(const Run& run) const {
    return !question_.wants_epsilon() && worst_ && run.ceiling <= worst_->lower;
  }

  // Whether the direction has no part in the answer, as its delta at the epsilon found is no larger than asked for.
  bool is_below(const Evaluator& evaluator) const {
    return question_.wants_epsilon() && worst_ && std::isfinite(worst_->lower) &&
           evaluator.answer(Quantity::delta, worst_->lower, unknown).upper <= question_.at;
  }

  // An epsilon close to the answer, if one is known.
  double near() const {
    return question_.wants_epsilon() && worst_ && std::isfinite(worst_->upper) ? worst_->upper : near_;
  }

  bool take_tight(Run& run, Answer& found) {
    if (!is_closed(found, question_, found.cost)) return false;
    found.converged = true, found.limited_by = {}, found.passes = 1, found.total_cost = found.cost;
    take(found);
    see(run, found);
    return true;
  }

  bool by_kept(Run& run, std::span<const double> values) {
    if (is_pure(question_.quantity, question_.at) || (!question_.wants_epsilon() && question_.at >= largest_))
      return false;  // which tells more
    if (run.kept() && is_below(*run.kept())) return true;
    if (run.kept() && take_tight(run, run.ask(question_.quantity, values, near()))) return true;
    std::optional<Answer> found = run.ask_others(question_, near());
    return found && take_tight(run, *found);
  }

  // By the plan that answered for another direction.
  bool by_sibling(Run& run) {
    if (is_pure(question_.quantity, question_.at)) return false;
    if (!plan_) plan_ = runs_.front().kept();  // if it answered
    if (!plan_ || !worst_) return false;
    const bool wants_epsilon = question_.wants_epsilon();
    const double epsilon = wants_epsilon ? worst_->lower : question_.at;
    const double goal = wants_epsilon ? question_.at : worst_->lower;
    if (!shares_ && plan_->shows_at_most(run.terms(), epsilon, goal)) return true;
    const auto evaluator = plan_->sibling(run.terms());
    if (!evaluator) return false;
    if (shares_) keep(run, evaluator);
    if (is_below(*evaluator)) return true;
    Answer found = evaluator->answer(question_.quantity, question_.at, near());
    return take_tight(run, found);
  }

  void keep(Run& run, std::shared_ptr<const Evaluator> evaluator) {
    double bytes = evaluator ? evaluator->bytes() : 0;
    for (const Run& other : runs_) bytes += other.kept() ? other.kept()->bytes() : 0;
    run.keep(bytes <= shared_memory * limits_.memory() ? std::move(evaluator) : nullptr);
  }

  Limits limits_{};
  Question question_{};
  bool shares_, settles_, is_many_ = false;
  double margin_ = 0;
  Tally alone_, shared_;
  std::vector<Run> runs_;
  double largest_ = 0;         // no loss is above it
  std::ptrdiff_t leader_ = 0;  // the direction that needs the largest answer
  std::optional<Answer> worst_;
  double near_ = unknown;                  // the epsilon of the question before
  std::shared_ptr<const Evaluator> plan_;  // that answered this question for another direction
};

std::vector<Answer> answers_to(std::span<const Direction> directions, Quantity quantity, std::span<const double> values,
                               const Limits& limits, KeptCurve* kept = nullptr) {
  check_method(limits.method);
  check_floating_point_environment();
  const double most = quantity == Quantity::epsilon ? infinity : 1.0;
  const auto ask = [&](std::span<const double> asked, const Limits& at) {
    return kept != nullptr ? kept->deltas(asked, at)
                           : Engine(directions, asked.size() > 1).answers(quantity, asked, at);
  };
  return budgeted(directions, values, limits, {0, most}, ask, [&](const Answer& found) {
    return is_tight(found, {quantity, 0, limits.tolerance}) ||
           (quantity == Quantity::delta && found.upper <= limits.floor());
  });
}

}  // namespace

std::vector<Answer> epsilon_bounds(std::span<const Direction> directions, std::span<const double> deltas,
                                   const Limits& limits) {
  check_each("delta", deltas, ranges::delta);
  return answers_to(directions, Quantity::epsilon, deltas, limits);
}

std::vector<Answer> delta_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits) {
  check_each("epsilon", epsilons, ranges::epsilon);
  return curve_bounds(directions, epsilons, limits);
}

std::vector<Answer> curve_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits, KeptCurve* kept) {
  return answers_to(directions, Quantity::delta, epsilons, limits, kept);
}

struct KeptCurve::State {
  Engine engine;
};

KeptCurve::KeptCurve(std::span<const Direction> directions, bool settles)
    : state_(std::make_shared<State>(State{Engine(directions, true, settles)})) {}

std::vector<Answer> KeptCurve::deltas(std::span<const double> epsilons, const Limits& limits) {
  return state_->engine.answers(Quantity::delta, epsilons, limits);
}

std::vector<std::vector<Explanation>> explain(std::span<const Direction> directions, Quantity quantity, double at,
                                              const Limits& limits) {
  check_method(limits.method);
  check_question(directions, limits);
  const bool wants_epsilon = quantity == Quantity::epsilon;
  checked(wants_epsilon ? "delta" : "epsilon", at, wants_epsilon ? ranges::delta : ranges::epsilon);
  check_floating_point_environment();
  const Budget budget(static_cast<double>(limits.memory_limit));
  std::vector<std::vector<Explanation>> tables;
  for (const Direction& direction : directions) {
    if (direction.empty()) continue;
    const MergedDirection run = merge_gaussians(direction);
    Solver solver(run, {quantity, at, limits.tolerance}, limits);
    solver.solve();
    tables.push_back(solver.explain());
  }
  return tables;
}

}  // namespace hockeystick
