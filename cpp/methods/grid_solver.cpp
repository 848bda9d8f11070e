// SPDX-License-Identifier: Apache-2.0
#include "methods/grid_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "discretize/cells.hpp"
#include "forecast/cost.hpp"
#include "forecast/lattice_grid.hpp"
#include "methods/budgeted.hpp"
#include "methods/composition_cache.hpp"
#include "methods/discretized_contour.hpp"
#include "methods/enumeration.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double widest_interval = 0.5 * largest_interval;  // aligning may widen it
constexpr int most_passes = 8;
constexpr int most_contour_passes = 6;

// Nats of delta within which questions are planned alike.
constexpr double rung_width = 2;

}  // namespace

GridSolver::GridSolver(const Direction& direction, bool wants_epsilon, double value, const Limits& limits, double room)
    : direction_(direction),
      whole_(direction),
      saddlepoint_(whole_),
      wants_epsilon_(wants_epsilon),
      value_(value),
      limits_(limits),
      room_(room) {
  infinite_ = hockeystick::infinity_mass(direction);
  infinity_mass_ = infinite_.upper();
  log_delta_ = wants_epsilon ? std::log(value) : saddlepoint_.saddle_for_epsilon(value).log_delta;
  if (!wants_epsilon || !step_to_rung(std::log(finite_delta()))) forecast();
  total_variation_ = total_variation(direction);
  finite_supremum_ = largest_finite_loss(direction);
  answer_.lower = 0;
  // proof: largest-losses
  answer_.upper = wants_epsilon ? largest_loss(direction) : total_variation_;  // delta falls with epsilon
}

Answer GridSolver::solve() {
  if (wants_epsilon_ && infinite_.exceeds(value_)) return infinite_loss();
  if (!wants_epsilon_ && value_ >= finite_supremum_) return beyond_finite_losses();
  if (wants_epsilon_ && value_ >= total_variation_) return Answer{};
  if (!wants_epsilon_ && take_next_to_supremum()) return answer_;
  if (!wants_epsilon_ && infinity_mass_ < smallest_delta) {
    const Saddle far = at_.tilt > 0 ? at_ : whole_.far_saddle(value_);
    if (far.log_delta < std::log(smallest_delta))  // proof: underflow-delta
      answer_.upper = std::min(answer_.upper, chernoff_delta(direction_, whole_, far, value_));
    if (answer_.upper <= smallest_delta) return answer_;
  }
  if (!wants_epsilon_) {
    answer_.lower = std::max(answer_.lower, infinite_.lower());
    answer_.limited_by = {};
    if (is_met()) return answer_;
  }
  if (wants_epsilon_) {
    const auto [lower, upper] = epsilon_by_largest_losses(direction_, value_, limits_.tolerance);
    answer_.lower = lower, answer_.upper = std::min(answer_.upper, upper);
    if (is_met()) return answer_;
  }
  log_tolerance_ = wanted_log_tolerance();
  answer_.converged = false;
  attempt([&] { make_passes(); });
  if (!answer_.converged) attempt([&] { answer_.converged = take_enumeration(limits_.memory()); });
  if (answer_.converged) answer_.limited_by = {};
  if (!answer_.converged && answer_.limited_by.empty()) answer_.limited_by = "passes";
  return answer_;
}

// What the budget has no room for is not tried any further.
void GridSolver::attempt(const std::function<void()>& plan) {
  try {
    plan();
  } catch (const OverBudget& over) {
    refuse(answer_, over);
  }
}

double GridSolver::first_interval() const {
  double interval = forecast_interval(saddlepoint_, at_, log_tolerance_);
  if (room_ > 0) {  // delta further out asks for a finer one
    const double far = std::exp(std::max(at_.log_delta - room_, -690.0));
    interval =
        0.85 * std::min(interval, forecast_interval(saddlepoint_, saddlepoint_.saddle_for_delta(far), log_tolerance_));
  }
  if (const double off_grid_steps =
          choose_lattice_grid(direction_, saddlepoint_, {std::max(0.0, at_.tilt), interval, 0, false}).off_grid_steps;
      off_grid_steps > 0) {
    const double slope = at_.regular ? at_.slope : at_.tilt + 1 / std::max(at_.epsilon, at_.deviation);
    interval = std::min(interval, log_tolerance_ / (slope * off_grid_steps));
  }
  // Where forecasts underflow it must not be 0: nothing finer would fit any memory.
  return std::max(interval, 1e-12 * std::max(at_.deviation, at_.epsilon));
}

void GridSolver::make_passes() {
  double interval = std::min(first_interval(), widest_interval);
  double cut = std::min(1e-3, log_tolerance_ * 1e-3) * std::exp(-room_);
  double previous = infinity, spent = 0;
  for (answer_.passes = 1; answer_.passes <= most_passes; ++answer_.passes) {
    pass_.reset();  // its memory is wanted
    Plan plan = make_plan(direction_, saddlepoint_, {at_, log_tolerance_, interval, cut});
    if (answer_.passes == 1 &&
        (answer_.converged = take_enumeration(cost::enumeration_bytes(cost_a_question(plan), wants_epsilon_))))
      break;
    if (!take_contour(plan)) {
      plan = affordable_plan(interval, cut);
      if (plan.bytes > limits_.memory()) break;
      pass_ = cached_composition(direction_, plan, at_);
      take(pass_->answer(wants_epsilon_, value_));
      answer_.cost = plan.cost;
    }
    answer_.total_cost = spent += answer_.cost;
    answer_.converged = is_met();
    if (answer_.converged) break;
    if (step_off_rung()) log_tolerance_ = wanted_log_tolerance();
    if (!answer_.limited_by.empty()) break;
    const double delta = wants_epsilon_ ? value_ : answer_.upper;
    const double lost = answer_.truncation + answer_.wraparound;
    const double width = lost + answer_.rounding + answer_.discretization;
    if (answer_.rounding > 0.5 * log_tolerance_ * delta && answer_.rounding > 0.3 * width) {
      answer_.limited_by = "rounding";
      break;
    }
    const double gap = answer_.upper - answer_.lower;
    if (answer_.passes >= 5 && !(gap < 0.8 * previous)) break;
    previous = gap;
    if (lost > 0.1 * log_tolerance_ * delta) {
      cut *= 1e-3;
      if (!wants_epsilon_ && answer_.lower > 0) forecast_from(std::log(answer_.lower));
    }
    // If truncation took most of the width, the interval has hardly been tried yet.
    const bool tried = lost <= 0.3 * width;
    // Atoms off the grid cost an error of first order in the interval, the rest is of second order.
    const double wanted = plan.off_grid_steps > 0 ? 0.7 / excess_gap() : std::sqrt(0.7 / excess_gap());
    interval = plan.interval * (tried ? std::clamp(wanted, 0.02, 0.8) : 0.25);
  }
}

void GridSolver::forecast() {
  double finite = forecast_from(log_delta_);
  // Without the rare huge losses delta at an epsilon may be far less than with them.
  for (int i = 0; i < 4 && !wants_epsilon_ && at_.log_delta < log_delta_ - 1; ++i)
    finite = forecast_from(log_delta_ = at_.log_delta);
  zero_forecast_ = wants_epsilon_ && at_.epsilon <= 0;
  if (zero_forecast_) at_ = saddlepoint_.saddle_for_epsilon(0);
  if (!wants_epsilon_ && at_.regular && rungs_) step_to_rung(finite);
}

// What an answer of epsilon leaves to finite losses.
double GridSolver::finite_delta() const { return std::max(value_ - infinity_mass_, 1e-3 * value_); }

// The saddlepoint forgets what truncation may cut at a delta of about e^log_delta. Returns the log of what finite
// losses add to delta.
double GridSolver::forecast_from(double log_delta) {
  saddlepoint_ = whole_;
  saddlepoint_.truncate(log_delta - room_ + std::log(1e-4 * limits_.tolerance));
  at_ = wants_epsilon_ ? saddlepoint_.saddle_for_delta(finite_delta()) : saddlepoint_.saddle_for_epsilon(value_);
  const double finite = at_.log_delta;
  add_infinity();
  return finite;
}

void GridSolver::add_infinity() {
  if (!wants_epsilon_) at_.log_delta = std::log(std::exp(at_.log_delta) + infinity_mass_);
}

// Questions of a direction on the same rung of delta are planned alike, for its lower end, and equal plans share a
// transform. The window reaches a deviation below where it is planned for. `finite`: log of what finite losses add to
// delta.
bool GridSolver::step_to_rung(double finite) {
  if (!(finite <= -rung_width)) return false;  // above, delta says little of where epsilon is
  const double rung = rung_width * std::floor(finite / rung_width);
  Saddlepoint saddlepoint = whole_;
  saddlepoint.truncate(rung - room_ + std::log(1e-4 * limits_.tolerance));
  const Saddle at = saddlepoint.saddle_for_delta(std::exp(rung));
  if (!at.regular || !(at.epsilon > 2 * rung_width / at.slope)) return false;
  const double before = wants_epsilon_ ? at.epsilon - (finite - rung) / at.slope : value_;
  if (!(std::fabs(at.epsilon - before) < 0.5 * at.deviation)) return false;
  at_ = at;
  add_infinity();
  saddlepoint_ = std::move(saddlepoint);
  return on_rung_ = true;
}

// Plans for the question itself; false if it was.
bool GridSolver::step_off_rung() {
  if (!on_rung_) return false;
  on_rung_ = rungs_ = false;
  forecast();
  return true;
}

// An infinite loss is likelier than delta.
Answer GridSolver::infinite_loss() const {
  Answer answer;
  answer.lower = answer.upper = infinity;
  return answer;
}

// No finite loss adds to delta.
Answer GridSolver::beyond_finite_losses() const {
  Answer answer;
  answer.lower = infinite_.lower();
  answer.upper = infinite_.upper();
  answer.converged = is_tight(answer.lower, answer.upper, limits_.tolerance, true);
  if (!answer.converged) answer.limited_by = "rounding";
  return answer;
}

// So close below the largest loss that no grid tells how much of delta is left; false if another method may.
bool GridSolver::take_next_to_supremum() {
  const auto found = delta_next_to_largest_loss(direction_, value_, limits_.tolerance);
  if (!found) return false;
  const double most = answer_.upper;
  answer_ = *found;
  answer_.upper = std::min(most, found->upper);
  if (answer_.converged || infinity_mass_ > 0) return answer_.converged;
  if (take_enumeration(limits_.memory())) answer_.converged = true, answer_.limited_by = {};
  return true;
}

// The relative width of delta that meets the tolerance on the answer.
double GridSolver::wanted_log_tolerance() const {
  if (!wants_epsilon_) {  // what is at +inf needs no grid
    const double finite = std::max(1 - infinity_mass_ / std::exp(at_.log_delta), 1e-9);
    return std::min(0.5, limits_.tolerance / finite);
  }
  if (zero_forecast_)  // the answer is 0 if delta(0) is enclosed this well
    return std::clamp(0.3 * (std::log(value_) - at_.log_delta), 1e-6, 0.5);
  const double slope = at_.regular ? at_.slope : at_.tilt + 1 / at_.epsilon;
  // At the other end of the rung epsilon is smaller, and the slope.
  const double epsilon = at_.epsilon - (on_rung_ ? rung_width / slope : 0);
  return std::clamp(slope * limits_.tolerance * epsilon, 1e-13, 0.5);
}

bool GridSolver::is_met() const { return is_tight(answer_.lower, answer_.upper, limits_.tolerance, !wants_epsilon_); }

double GridSolver::excess_gap() const {
  const double allowed = limits_.tolerance * answer_.upper;
  const double gap = answer_.upper - answer_.lower;
  return std::isfinite(gap) && allowed > 0 ? std::max(1.1, gap / allowed) : 16.0;
}

// The plan, with the interval widened until it fits the memory limit.
Plan GridSolver::affordable_plan(double interval, double cut) {
  Plan plan = make_plan(direction_, saddlepoint_, {at_, log_tolerance_, interval, cut});
  const double limit = limits_.memory();
  if (plan.bytes <= limit) return plan;
  answer_.limited_by = "memory_limit";
  answer_.required_bytes = static_cast<std::size_t>(std::min(plan.bytes, 9e18));
  while (plan.bytes > limit && interval < std::min(std::max(at_.deviation, at_.epsilon), widest_interval)) {
    interval = std::min(interval * std::max(1.25, std::min(plan.bytes / limit, 1e6)), widest_interval);
    plan = make_plan(direction_, saddlepoint_, {at_, log_tolerance_, interval, cut});
  }
  return plan;
}

// The steps by contour sums, where the transform would be long; false if that does not do.
bool GridSolver::take_contour(const Plan& plan) {
  if (limits_.method == Method::transform || !(at_.tilt > 0)) return false;
  const double memory = limits_.memory();
  constexpr double most = cost::most_for_discretized_contour;
  const double transform = plan.bytes > memory ? most : cost_a_question(plan);
  if (transform < cost::least_for_discretized_contour || contour_passes_ == most_contour_passes ||
      plan.step_bytes > memory)
    return false;
  const DiscretizedContour contour(direction_, saddlepoint_, plan, at_, log_tolerance_ * smoothing_,
                                   std::min(transform, most));
  ++contour_passes_;
  if (!contour.is_affordable()) return false;
  const Interval found = wants_epsilon_ ? contour.epsilon(value_, at_.epsilon) : contour.delta(value_);
  if (!(found.lower > 0) || !std::isfinite(found.upper)) return false;
  answer_.lower = std::max(answer_.lower, found.lower);
  answer_.upper = std::min(answer_.upper, found.upper);
  const double epsilon = wants_epsilon_ ? answer_.upper : value_;
  const ContourDelta lost = contour.losses(epsilon);
  const Interval there = contour.delta(epsilon);
  answer_.truncation = lost.tail;
  answer_.wraparound = lost.alias;
  answer_.rounding = lost.rounding;
  answer_.discretization = std::max(0.0, there.upper - there.lower - lost.tail - lost.alias - lost.rounding);
  answer_.interval = plan.interval;
  answer_.size = contour.contour().count;
  answer_.tilt = contour.contour().tilt;
  answer_.method = "discretized_contour";
  answer_.cost = contour.cost();
  smoothing_ *= std::clamp(0.7 / excess_gap(), 0.3, 0.8);
  return true;
}

double GridSolver::cost_a_question(const Plan& plan) const {
  return plan.cost / (room_ > 0 ? cost::questions_shared : 1);
}

// Few sums of few atoms, listed: close to what the mass at +inf leaves of delta no grid does.
bool GridSolver::take_enumeration(double most_bytes) {
  if (limits_.method == Method::transform) return false;
  const auto sums = Enumeration::of(direction_, std::min({0x1p20, most_bytes, limits_.memory()}));
  if (!sums) return false;
  const auto [lower, upper] = wants_epsilon_ ? sums->epsilon(value_) : sums->delta(value_);
  answer_.lower = std::max(answer_.lower, lower);
  answer_.upper = std::min(answer_.upper, upper);
  answer_.discretization = answer_.truncation = answer_.wraparound = 0;
  const auto [below, above] = sums->delta(wants_epsilon_ ? answer_.upper : value_);
  answer_.rounding = above - below;
  answer_.interval = 0;
  answer_.size = sums->size();
  answer_.method = "enumeration";
  return is_met();
}

void GridSolver::take(const Answer& found) {
  const int passes = answer_.passes;
  const double lower = std::max(answer_.lower, found.lower), upper = std::min(answer_.upper, found.upper);
  const auto [limited_by, bytes] = std::pair(answer_.limited_by, answer_.required_bytes);
  answer_ = found;
  answer_.lower = lower, answer_.upper = upper, answer_.passes = passes;
  answer_.limited_by = limited_by, answer_.required_bytes = bytes;
}

}  // namespace hockeystick
