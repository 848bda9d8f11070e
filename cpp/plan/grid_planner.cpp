// SPDX-License-Identifier: Apache-2.0
#include "plan/grid_planner.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "discretize/cells.hpp"
#include "numeric/elementary.hpp"
#include "plan/cost.hpp"
#include "plan/grid_interval.hpp"
#include "plan/tuning.hpp"
#include "plan/window.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double widest_interval = 0.5 * largest_interval;  // as aligning the grid with atoms may widen it

}  // namespace

GridPlanner::GridPlanner(const Direction& direction, const Question& question, double infinity_mass)
    : direction_(direction),
      question_(question),
      place_(direction, question_, infinity_mass,
             can_close(direction) ? Place::Closes::if_irregular : Place::Closes::never),
      previous_gap_(infinity) {}

const Plan& GridPlanner::plan() {
  if (!plan_) {
    if (interval_ == 0) {
      const double log_tolerance = place_.log_tolerance();
      interval_ =
          std::min(first_interval(direction_, place_.saddlepoint(), place_.at(), log_tolerance, question_.log_margin),
                   widest_interval);
      cut_ = std::min(1e-3, log_tolerance * 1e-3) * math::exp(-question_.log_margin);
      if (place_.closing().top < infinity) cut_ *= 1e-3;  // the tail is forecast roughly at such high tilts
    }
    plan_ = planned(interval_);
  }
  return *plan_;
}

Plan GridPlanner::planned(double interval) const {
  Saddle at = place_.at();
  at.log_delta = place_.log_delta();
  return make_plan(direction_, place_.saddlepoint(),
                   {at, place_.log_tolerance(), interval, cut_, true, place_.closing()});
}

void GridPlanner::see(double log_delta) {
  if (place_.see(log_delta)) plan_.reset(), interval_ = 0, limited_by_ = {};
}

double GridPlanner::cost() { return plan().cost / (question_.log_margin > 0 ? tuning::questions_shared : 1); }

bool GridPlanner::fit(double bytes) {
  if (plan().bytes <= bytes) return true;
  limited_by_ = "memory_limit";
  double interval = interval_;
  const double widest = std::min(std::max(place_.at().deviation, place_.at().epsilon), widest_interval);
  while (plan_->bytes > bytes && interval < widest) {
    interval = std::min(interval * std::max(1.25, std::min(plan_->bytes / bytes, 1e6)), widest_interval);
    plan_ = planned(interval);
  }
  return plan_->bytes <= bytes;
}

double GridPlanner::excess(const Width& found) const {
  const double allowed = question_.tolerance_at(found.upper) * found.upper;
  const double gap = found.upper - found.lower;
  return std::isfinite(gap) && allowed > 0 ? std::max(1.1, gap / allowed) : 16.0;
}

void GridPlanner::learn(const Width& found) {
  ++attempts_;
  if (!plan_) return;  // the place has moved, for which a plan is to be made
  const Plan before = *std::exchange(plan_, std::nullopt);
  if (!limited_by_.empty()) return;
  const double log_tolerance = place_.log_tolerance();
  const double delta = question_.wants_epsilon() ? question_.at : found.upper;
  const double width = found.lost + found.rounding + found.discretization, gap = found.upper - found.lower;
  if (found.rounding > 0.5 * log_tolerance * delta && found.rounding > 0.3 * width)
    limited_by_ = "rounding";
  else if (attempts_ == tuning::most_attempts || (attempts_ >= 5 && !(gap < 0.8 * previous_gap_)))
    limited_by_ = "passes";
  // The width of the answer may be that of an attempt before, so that it does not tell what this grid lacks.
  stalled_ = gap < 0.8 * previous_gap_ ? 1 : 2 * stalled_;
  previous_gap_ = gap;
  if (found.lost > 0.1 * log_tolerance * delta) {
    cut_ *= 1e-3;
    if (!question_.wants_epsilon() && found.lower > 0) place_.look_from(math::log(found.lower));
  }
  // If truncation made most of the width, the width says little about the interval. The interval stays where all losses
  // lie on the grid and the grid resolves the tilt: in allocations it would fall to a sixteenth.
  const bool tried = found.lost <= 0.3 * width;
  const bool is_enough = !(found.discretization > 0) && before.tilt * before.interval < 0.25 && found.lost < 1;
  // Atoms off the grid have an error of first order in the interval, everything else one of second order.
  const double more = stalled_ * excess(found);
  const double wanted = before.off_grid_steps > 0 ? 0.7 / more : std::sqrt(0.7 / more);
  interval_ = before.interval * (tried ? std::clamp(wanted, 0.02, 0.8) : is_enough ? 1.0 : 0.25);
  const double planned_for = place_.at().epsilon;
  look_at(found, tried);
  if (limited_by_ == "rounding" && std::fabs(place_.at().epsilon - planned_for) > 0.1 * place_.at().epsilon)
    limited_by_ = {};
}

// Moves the place to the answer.
void GridPlanner::look_at(const Width& found, bool tried) {
  if (!question_.wants_epsilon() || question_.log_margin > 0) return;
  const double epsilon = found.upper;
  if (!std::isfinite(epsilon) || !(epsilon > 0) || !(found.slope > 0) || !(found.curvature > 0)) return;
  const Saddle before = place_.at();
  const double moved = std::fabs(epsilon - before.epsilon);
  const bool is_known = before.regular && place_.closing().top == infinity && tried;
  if (moved < 0.5 * epsilon && (is_known || !place_.may_close())) return;
  place_.move(epsilon, math::log(question_.at), true, found.slope, found.curvature);
  const double wanted = first_interval(direction_, place_.saddlepoint(), place_.at(), place_.log_tolerance(), 0);
  const bool is_close = before.regular && moved < 0.1 * epsilon;
  interval_ = std::min(widest_interval, is_close ? std::min(interval_, wanted) : wanted);
}

}  // namespace hockeystick
