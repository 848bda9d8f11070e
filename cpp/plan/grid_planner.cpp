// SPDX-License-Identifier: Apache-2.0
#include "plan/grid_planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "discretize/cells.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/cost.hpp"
#include "plan/grid_interval.hpp"
#include "plan/tuning.hpp"
#include "plan/window.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double widest_interval = 0.5 * largest_interval;  // as aligning the grid with atoms may widen it

constexpr int most_closings = 20;

}  // namespace

GridPlanner::GridPlanner(const Direction& direction, const Question& question, double infinity_mass)
    : direction_(direction),
      question_(question),
      infinity_mass_(infinity_mass),
      whole_(direction),
      saddlepoint_(whole_),
      previous_gap_(infinity) {
  if (question_.log_margin > 0) question_.tolerance *= tuning::shared_tightness;
  const bool wants_epsilon = question_.wants_epsilon();
  log_delta_ = wants_epsilon ? math::log(question_.at) : saddlepoint_.saddle_for_epsilon(question_.at).log_delta;
  forecast();
  log_tolerance_ = wanted_log_tolerance();
}

const Plan& GridPlanner::plan() {
  if (!plan_) {
    if (interval_ == 0) {
      interval_ = std::min(first_interval(direction_, saddlepoint_, at_, log_tolerance_, question_.log_margin),
                           widest_interval);
      cut_ = std::min(1e-3, log_tolerance_ * 1e-3) * math::exp(-question_.log_margin);
      if (closing_.top < infinity) cut_ *= 1e-3;  // the tail is forecast roughly at such high tilts
    }
    plan_ = make_plan(direction_, saddlepoint_, {at_, log_tolerance_, interval_, cut_, true, closing_});
  }
  return *plan_;
}

double GridPlanner::cost() { return plan().cost / (question_.log_margin > 0 ? tuning::questions_shared : 1); }

bool GridPlanner::fit(double bytes) {
  if (plan().bytes <= bytes) return true;
  limited_by_ = "memory_limit";
  double interval = interval_;
  while (plan_->bytes > bytes && interval < std::min(std::max(at_.deviation, at_.epsilon), widest_interval)) {
    interval = std::min(interval * std::max(1.25, std::min(plan_->bytes / bytes, 1e6)), widest_interval);
    plan_ = make_plan(direction_, saddlepoint_, {at_, log_tolerance_, interval, cut_, true, closing_});
  }
  return plan_->bytes <= bytes;
}

double GridPlanner::excess(const Width& found) const {
  const double allowed = question_.tolerance * found.upper;
  const double gap = found.upper - found.lower;
  return std::isfinite(gap) && allowed > 0 ? std::max(1.1, gap / allowed) : 16.0;
}

void GridPlanner::learn(const Width& found) {
  const Plan before = std::move(*plan_);
  plan_.reset();
  ++attempts_;
  if (!limited_by_.empty()) return;
  const double delta = question_.wants_epsilon() ? question_.at : found.upper;
  const double width = found.lost + found.rounding + found.discretization, gap = found.upper - found.lower;
  if (found.rounding > 0.5 * log_tolerance_ * delta && found.rounding > 0.3 * width)
    limited_by_ = "rounding";
  else if (attempts_ == tuning::most_attempts || (attempts_ >= 5 && !(gap < 0.8 * previous_gap_)))
    limited_by_ = "passes";
  previous_gap_ = gap;
  if (found.lost > 0.1 * log_tolerance_ * delta) {
    cut_ *= 1e-3;
    if (!question_.wants_epsilon() && found.lower > 0) forecast_from(math::log(found.lower));
  }
  // If truncation made most of the width, the answer says little of the interval, which may stay where all losses lie
  // on the grid, as far as can be seen, and it resolves the tilt.
  const bool tried = found.lost <= 0.3 * width;
  const bool is_enough = !(found.discretization > 0) && before.tilt * before.interval < 0.25;
  // Atoms off the grid have an error of first order in the interval, everything else one of second order.
  const double wanted = before.off_grid_steps > 0 ? 0.7 / excess(found) : std::sqrt(0.7 / excess(found));
  interval_ = before.interval * (tried ? std::clamp(wanted, 0.02, 0.8) : is_enough ? 1.0 : 0.25);
  const double planned_for = at_.epsilon;
  look_at(found, tried);
  if (limited_by_ == "rounding" && std::fabs(at_.epsilon - planned_for) > 0.1 * at_.epsilon) limited_by_ = {};
}

void GridPlanner::forecast() {
  const bool wants_epsilon = question_.wants_epsilon();
  forecast_from(log_delta_);
  // Without the rare huge losses the forecast of delta may be far lower, so that still more losses do not matter.
  for (int i = 0; i < 4 && !wants_epsilon && at_.log_delta < log_delta_ - 1; ++i)
    forecast_from(log_delta_ = at_.log_delta);
  close();
  zero_forecast_ = wants_epsilon && at_.epsilon <= 0;
  if (zero_forecast_) at_ = saddlepoint_.saddle_for_epsilon(0);
}

// The part of the given delta that finite losses may take.
double GridPlanner::finite_delta() const {
  return std::max(question_.at - infinity_mass_ - closed_mass_, 1e-3 * question_.at);
}

// Forecasts with the losses that truncation may not cut at a delta of about e^log_delta.
void GridPlanner::forecast_from(double log_delta) {
  saddlepoint_ = whole_;
  saddlepoint_.truncate(log_delta - question_.log_margin + math::log(1e-4 * question_.tolerance));
  at_ = question_.wants_epsilon() ? saddlepoint_.saddle_for_delta(finite_delta())
                                  : saddlepoint_.saddle_for_epsilon(question_.at);
  if (!question_.wants_epsilon()) at_.log_delta = math::log(math::exp(at_.log_delta) + infinity_mass_);
}

// If rare huge losses of single steps determine delta, plans with every step's losses capped.
void GridPlanner::close() {
  if (is_off("closing") || !question_.wants_epsilon() || at_.regular || question_.log_margin > 0 ||
      !can_close(direction_))
    return;
  double epsilon = at_.epsilon;
  for (int i = 0; i < most_closings && epsilon > 0 && closed_by(epsilon); ++i) {
    const double next = std::max(epsilon / 4, 1.3 * at_.epsilon);
    if (next > 0.8 * epsilon) break;
    epsilon = next;
  }
}

Closing GridPlanner::closing(double epsilon) const {
  return closing_at(direction_, whole_, epsilon, math::log(question_.at) + math::log(1e-6 * question_.tolerance));
}

// Closes the steps for an epsilon. If the forecast answer lies above it, changes nothing and returns false.
bool GridPlanner::closed_by(double epsilon) {
  const Closing next = closing(epsilon);
  Saddlepoint closed = whole_;
  const double mass = closed.close(next.top);
  if (!(mass < 0.5 * (question_.at - infinity_mass_))) return false;
  const double before = std::exchange(closed_mass_, mass);
  const Saddle at = closed.saddle_for_delta(finite_delta());
  if (at.epsilon > epsilon) {
    closed_mass_ = before;
    return false;
  }
  at_ = at, closing_ = next, saddlepoint_ = std::move(closed);
  return true;
}

// Moves the forecast to where an answer was found.
void GridPlanner::look_at(const Width& found, bool tried) {
  if (is_off("closing") || !question_.wants_epsilon() || question_.log_margin > 0 || !can_close(direction_)) return;
  const double epsilon = found.upper;
  if (!std::isfinite(epsilon) || !(epsilon > 0) || !(found.slope > 0) || !(found.curvature > 0)) return;
  const bool is_placed = std::fabs(epsilon - at_.epsilon) < 0.5 * epsilon;
  if (at_.regular && closing_.top == infinity && tried && is_placed) return;
  const bool known = at_.regular && std::fabs(epsilon - at_.epsilon) < 0.1 * epsilon;
  saddlepoint_ = whole_;
  closing_ = closing(epsilon);
  closed_mass_ = saddlepoint_.close(closing_.top);
  at_ = saddlepoint_.saddle_for_epsilon(epsilon);
  at_.log_delta = math::log(question_.at);
  at_.slope = found.slope, at_.curvature = found.curvature, at_.regular = true;
  log_tolerance_ = wanted_log_tolerance();
  const double wanted = first_interval(direction_, saddlepoint_, at_, log_tolerance_, 0);
  interval_ = std::min(widest_interval, known ? std::min(interval_, wanted) : wanted);
}

// Relative width of delta that meets the tolerance of the answer.
double GridPlanner::wanted_log_tolerance() const {
  if (!question_.wants_epsilon()) {  // infinite losses have no discretization error
    const double finite = std::max(1 - infinity_mass_ / math::exp(at_.log_delta), 1e-9);
    return std::min(0.5, question_.tolerance / finite);
  }
  if (zero_forecast_)  // if delta(0) is enclosed to this width, the answer is 0
    return std::clamp(0.3 * (math::log(question_.at) - at_.log_delta), 1e-6, 0.5);
  const double slope = at_.regular ? at_.slope : at_.tilt + 1 / at_.epsilon;
  return std::clamp(slope * question_.tolerance * at_.epsilon, 1e-13, 0.5);
}

}  // namespace hockeystick
