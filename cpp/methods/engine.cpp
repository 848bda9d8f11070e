// SPDX-License-Identifier: Apache-2.0
#include "methods/engine.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "methods/budgeted.hpp"
#include "numeric/runtime/clock.hpp"
#include "numeric/runtime/switches.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/cost.hpp"

namespace hockeystick {
namespace {

constexpr std::string_view over_work = "it costs more than is left of the work of one question";

std::string_view obstacle_of(const OverBudget& over) { return is_over_work(over) ? over_work : "memory_limit"; }

/// A row of the table of methods. `least` is a lower bound of the cost [ns] of this row and of all later ones: a tight
/// forecast of a lower cost ends the search.
struct Row {
  std::string_view name;
  std::unique_ptr<Method> (*make)(Task&);
  double least;
};
const std::array<Row, method_count> table{{{"trivial_bounds", &trivial_bounds, 0},
                                           {"closed_form", &closed_form, tuning::line},
                                           {"participations", &participations, tuning::line},
                                           {"single_step", &single_step, tuning::line},
                                           {"enumeration", &enumeration, tuning::line},
                                           {"contour_integral", &contour_integral, tuning::line},
                                           {"chernoff_bound", &chernoff_bound, tuning::term},
                                           {"discretized_contour", &discretized_contour, tuning::term},
                                           {"fft_composition", &fft_composition, tuning::term},
                                           {"one_large_loss", &one_large_loss, tuning::term}}};

constexpr std::size_t contour_row = 5;

constexpr double most_beside = 1 << 22;  // bytes of an evaluator that is kept while another method answers

// The lower end of one evaluator and the upper end of another one.
class OfTwo final : public Evaluator {
 public:
  OfTwo(std::shared_ptr<const Evaluator> below, std::shared_ptr<const Evaluator> above)
      : below_(std::move(below)), above_(std::move(above)) {}

  Answer answer(Quantity quantity, double at, double near) const override {
    const Answer below = below_->answer(quantity, at, near);
    Answer result = above_->answer(quantity, at, near);
    result.lower = std::max(result.lower, below.lower), result.upper = std::min(result.upper, below.upper);
    result.cost += below.cost;
    return result;
  }
  double bytes() const override { return below_->bytes() + above_->bytes(); }

 private:
  std::shared_ptr<const Evaluator> below_, above_;
};

}  // namespace

void check_method(std::string_view name) {
  std::string all;
  for (const Row& row : table) {
    if (name.empty() || row.name == name) return;
    all += (all.empty() ? "'" : ", '") + std::string(row.name) + "'";
  }
  throw std::invalid_argument("method must be one of " + all + ", got '" + std::string(name) + "'");
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names;
  for (const Row& row : table) names.push_back(row.name);
  return names;
}

Solver::Solver(const MergedDirection& run, const Question& question, const Limits& limits)
    : task_{run, question, limits, enclosed({0, question.wants_epsilon() ? infinity : 1}, {})} {}

Answer Solver::solve(double known) {
  Answer& answer = task_.answer;
  while (!answer.converged && answer.upper > known && choose() && !is_small_enough()) {
    if (is_near_enough())
      answer.converged = true;
    else
      attempt();
  }
  const bool is_lost = !task_.question.wants_epsilon() && answer.upper <= task_.limits.floor();
  if (is_lost || answer.upper <= known) answer.converged = true;
  if (answer.converged) answer.limited_by = {};
  if (!answer.converged && answer.limited_by.empty()) answer.limited_by = task_.is_named() ? "method" : "passes";
  return answer;
}

// The evaluator that answered last or, if its answer alone is too wide, those that gave the two ends.
std::shared_ptr<const Evaluator> Solver::evaluator() const {
  if (!evaluator_ || is_last_tight_ || !task_.answer.converged || !below_ || !above_ || below_ == above_)
    return evaluator_;
  return std::make_shared<OfTwo>(below_, above_);
}

// A delta that is known to be below the floor is refined only if that is cheap, and so is an epsilon at a delta that
// doubles hardly tell from 0.
bool Solver::is_small_enough() const {
  const Question& asked = task_.question;
  const double next = task_.answer.total_cost + states_[chosen_].forecast.cost;
  const bool is_tiny = asked.wants_epsilon() ? asked.at < smallest_delta : task_.answer.upper <= task_.limits.floor();
  return is_tiny && next > tuning::for_the_smallest;
}

// A view that needs more of a point asks for it again.
bool Solver::is_near_enough() const { return is_closed(task_.answer, task_.question, states_[chosen_].forecast.cost); }

// A dear method that is not forecast to be tight is of use where less is known than by its forecast.
bool Solver::is_for_little(const Forecast& next) {
  return next.width > 1 && next.cost > tuning::cheap && !task_.is_named() && next.width > task_.excess();
}

// The cheapest method that is forecast to be tight, or else the cheapest one; false if none is left within the work of
// the question.
bool Solver::choose() {
  if (std::exchange(is_chosen_, true)) return chosen_ < method_count;
  chosen_ = method_count;
  // A method that was tried before may have to be tried once more after the next attempt.
  const auto rank = [](const State& state) {
    return std::pair(state.forecast.width > 1, state.forecast.cost * (1 + state.attempts));
  };
  // To plan a contour takes time. After another method's answer was too wide, the contour comes last, so that its plan
  // ends where it costs more than the cheapest other method.
  const bool is_last = task_.answer.passes > states_[contour_row].attempts;
  task_.rival = infinity;
  for (std::size_t k = 0; k < method_count; ++k) {
    const std::size_t later = k + 1 < method_count ? k + 1 : contour_row;
    const std::size_t i = is_last && k >= contour_row ? later : k;
    if (chosen_ < method_count && rank(states_[chosen_]) <= std::pair(false, table[i].least)) break;
    if (task_.is_named() && table[i].name != task_.limits.method) continue;
    if (is_off(table[i].name) || !forecast(i).obstacle.empty()) continue;
    if (is_for_little(states_[i].forecast)) {
      states_[i].forecast.obstacle = "it is not forecast to narrow the answer";
      if (states_[i].forecast.bytes > task_.limits.memory()) refuse(task_.answer, states_[i].forecast.bytes);
      continue;
    }
    states_[i].offered = states_[i].forecast;
    if (states_[i].forecast.cost > WorkLimit::left()) {
      states_[i].forecast.obstacle = over_work;
      continue;
    }
    if (chosen_ == method_count || rank(states_[i]) < rank(states_[chosen_])) chosen_ = i;
    if (const auto [is_wide, cost] = rank(states_[chosen_]); !is_wide) task_.rival = cost;
  }
  return chosen_ < method_count;
}

// A method that exceeds the memory budget is not tried again.
Forecast Solver::forecast(std::size_t i) {
  State& state = states_[i];
  if (state.given_up) return state.forecast;
  // Only the trivial bounds can answer at delta = 0.
  if (i != 0 && is_pure(task_.question.quantity, task_.question.at)) {
    state.forecast.obstacle = "delta is 0";
    return state.forecast;
  }
  try {
    if (!state.method) state.method = table[i].make(task_);
    state.forecast = state.method->forecast();
    if (!(state.forecast.cost >= 0)) state.forecast.obstacle = "its plan underflows";
  } catch (const OverBudget& over) {
    refuse(task_.answer, over);
    state.given_up = true;
    state.forecast.obstacle = obstacle_of(over);
  }
  return state.forecast;
}

void Solver::attempt() {
  State& state = states_[chosen_];
  is_chosen_ = false;
  for (std::shared_ptr<const Evaluator>* end : {&below_, &above_})
    if (*end && (*end)->bytes() > most_beside) end->reset();
  evaluator_.reset();  // frees its memory
  const auto start = nanoseconds_now();
  WorkLimit::take(state.forecast.cost);
  ++state.attempts;
  try {
    evaluator_ = state.method->prepare();
    if (evaluator_) {
      const Answer found =
          evaluator_->answer(task_.question.quantity, task_.question.at, std::numeric_limits<double>::quiet_NaN());
      if (found.lower >= task_.answer.lower) below_ = evaluator_;
      if (found.upper <= task_.answer.upper) above_ = evaluator_;
      is_last_tight_ = found.converged || is_closed(found, task_.question, infinity);
      take(found);
      if (!task_.answer.converged) state.method->learn(found);
    }
  } catch (const OverBudget& over) {
    refuse(task_.answer, over);
    evaluator_.reset();
    state.forecast.obstacle = obstacle_of(over);
  }
  state.given_up = !evaluator_;
  if (state.given_up && state.forecast.obstacle.empty())
    state.forecast.obstacle = "its plan does not hold at a closer look";
  state.nanoseconds += nanoseconds_now() - start;
}

void Solver::take(const Answer& found) {
  Answer& answer = task_.answer;
  const Answer before = std::exchange(answer, found);
  answer.lower = std::max(before.lower, found.lower), answer.upper = std::min(before.upper, found.upper);
  answer.limited_by = before.limited_by, answer.required_bytes = before.required_bytes;
  answer.passes = before.passes + (states_[chosen_].forecast.cost > 0 ? 1 : 0);
  answer.total_cost = before.total_cost + found.cost;
  answer.converged = found.converged || is_tight(answer, task_.question);
}

std::vector<Explanation> Solver::explain() {
  task_.is_bounded = true;  // nothing waits for the trivial bounds any longer
  std::vector<Explanation> rows;
  for (std::size_t i = 0; i < method_count; ++i) {
    const State& state = states_[i];
    std::string_view verdict = "chosen";
    if (!(i == chosen_ && task_.answer.converged)) {
      if (state.attempts == 0) forecast(i);
      verdict = state.attempts > 0                 ? "its answer was too wide"
                : !state.forecast.obstacle.empty() ? state.forecast.obstacle
                : state.forecast.width > 1         ? "not forecast to be tight"
                                                   : "another costs less";
      if (state.attempts == 0 && task_.is_named() && table[i].name != task_.limits.method) verdict = "not named";
    }
    rows.push_back({table[i].name, state.attempts > 0 ? state.offered : state.forecast, verdict, state.attempts,
                    state.nanoseconds});
  }
  return rows;
}

}  // namespace hockeystick
