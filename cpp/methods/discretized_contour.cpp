// SPDX-License-Identifier: Apache-2.0
// The row of smoothed contours: of discretized steps, or of laws of atoms.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "methods/contour_composition.hpp"
#include "methods/fft_composition.hpp"
#include "methods/method.hpp"
#include "methods/smoothed_plan.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/atom_planner.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// Contours of discretized steps, cheaper than a long transform of the same steps, and contours of atoms.
class ByDiscretizedContour final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    if (!task_.is_named() && is_of_cheap_grids()) return {.obstacle = "a transform is cheap"};
    const Forecast of_atoms = forecast_atoms();
    is_of_atoms_ = of_atoms.obstacle.empty();
    if (is_of_atoms_ && of_atoms.cost <= tuning::cheap) return of_atoms;
    GridPlanner& grid = task_.grid();
    const bool no_transform = !grid.limited_by().empty() || grid.plan().bytes > task_.limits.memory();
    if (!task_.is_named() && !no_transform && grid.cost() < tuning::cheap) return {.obstacle = "a transform is cheap"};
    return is_of_atoms_ ? of_atoms : forecast_steps();
  }

  std::shared_ptr<const Evaluator> prepare() override {
    if (is_of_atoms_) {
      ++atom_attempts_;
      return made_ = ContourComposition::of(task_.terms(), atom_plan_, planner_->at().epsilon);
    }
    ++attempts_;
    GridPlanner& grid = task_.grid();
    const Held room(grid.plan().step_bytes);
    const DiscretizedSteps steps = discretized(task_.terms(), grid.plan());
    const Saddlepoint* saddlepoint = &grid.saddlepoint();
    std::optional<Saddlepoint> of_steps;
    if (grid.plan().closing.top < infinity) {  // the pair's nodes represent closed steps poorly
      saddlepoint = &of_steps.emplace(steps.upper, task_.terms());
      plan_ =
          plan_discretized_contour(*saddlepoint, grid.plan(), grid.at(), grid.log_tolerance() * smoothing_, decaying());
      if (!(plan_.cost < infinity)) return nullptr;
    }
    return ContourComposition::of_steps(task_.terms(), *saddlepoint, grid.plan(), steps, plan_, grid.at().epsilon);
  }

  void learn(const Answer& found) override {
    if (is_of_atoms_) return learn_atoms(found);
    const double planned = task_.grid().at().epsilon;
    const bool is_placed = is_near(found, planned, 0.1);
    if (plan_.reach > 0 && is_near(found, planned, 0.5) && !(found.truncation < 0.3 * width_of(found))) {
      undecayed_at_ = task_.grid().attempts();
      return;
    }
    if (!(found.lower > 0 || (found.slope > 0 && !is_placed)) || !std::isfinite(found.upper)) {
      failed_at_ = task_.grid().attempts();
      return;
    }
    smoothing_ *= std::clamp(0.7 / task_.excess(), 0.3, 0.8);
    task_.refine_grid();
  }

 private:
  static constexpr std::size_t many_atoms = 200;

  // Whether a transform takes no longer than planning a contour of the atoms.
  bool is_of_cheap_grids() {
    std::size_t count = 0;
    for (const Term& term : task_.terms())
      if (const auto law = term.pair->finite_law()) count += law->atoms.size();
    if (count == 0 || !task_.grid().limited_by().empty()) return false;
    return task_.grid().cost() < (count > many_atoms ? tuning::cheap_grid_of_many_atoms : tuning::cheap_grid);
  }

  Forecast forecast_steps() {
    GridPlanner& grid = task_.grid();
    if (!(grid.at().tilt > 0)) return {.obstacle = "the saddle point is at tilt 0"};
    if (attempts_ >= tuning::most_attempts || !grid.limited_by().empty())
      return {.obstacle = "finer grids do not help"};
    if (failed_at_ == grid.attempts()) return {.obstacle = "the sum did not come to an answer"};
    if (grid.plan().step_bytes > task_.limits.memory()) return {.obstacle = "memory_limit"};
    plan_ = plan_discretized_contour(grid.saddlepoint(), grid.plan(), grid.at(), grid.log_tolerance() * smoothing_,
                                     decaying());
    return offered(plan_, tuning::most_for_contour, grid.plan().step_bytes);
  }

  Forecast forecast_atoms() {
    if (is_off("atoms") || no_atoms_ || atom_attempts_ >= tuning::most_attempts)
      return {.obstacle = "finer smoothing does not help"};
    if (!planner_) {
      for (const Term& term : task_.terms()) {
        const auto law = term.pair->finite_law();
        if (!law || law->atoms.empty()) {
          no_atoms_ = true;
          return {.obstacle = "not all losses are atoms"};
        }
        atoms_ += term.pair->has_whole_line() ? 1 : static_cast<double>(law->atoms.size());
      }
      planner_.emplace(task_.terms(), task_.question, infinity_mass(task_.terms()).upper());
    }
    if (!planner_->is_answerable()) return {.obstacle = "the saddle point is at tilt 0"};
    atom_plan_ = plan_contour_of_atoms(planner_->saddlepoint(), atoms_, planner_->at(), planner_->log_tolerance(),
                                       caution_, most_smoothing_, may_decay_);
    atom_plan_.needs.cut = planner_->cut() * math::exp(-caution_) / planner_->saddlepoint().total_count();
    atom_plan_.closing = planner_->closing();
    return offered(atom_plan_, tuning::most_for_contour,
                   cost::contour_sample_bytes * static_cast<double>(atom_plan_.contour.count));
  }

  Forecast offered(const ContourPlan& plan, double wanted, double bytes) const {
    if (!(plan.cost < (task_.is_named() ? infinity : wanted))) return {.obstacle = "it needs too many samples"};
    if (bytes > task_.limits.memory()) return {.obstacle = "memory_limit"};
    return {plan.cost, bytes, 0.7, {}};
  }

  // The saddlepoint whose nodes forecast the decay of moments: they are few, and as good for that as the steps.
  const Saddlepoint* decaying() {
    GridPlanner& grid = task_.grid();
    return undecayed_at_ != grid.attempts() ? &grid.saddlepoint() : nullptr;
  }

  static double width_of(const Answer& found) {
    return found.truncation + found.wraparound + found.rounding + found.discretization;
  }

  // Whether the answer lies close to the forecast.
  bool is_near(const Answer& found, double planned, double part) const {
    const double epsilon = task_.question.wants_epsilon() ? found.upper : task_.question.at;
    return std::fabs(epsilon - planned) <= part * epsilon;
  }

  // One end of the answer suffices to move the forecast. Smoothing widens the answer by its width next to an atom,
  // elsewhere by its square.
  void learn_atoms(const Answer& found) {
    const Question& asked = task_.question;
    const double gap = found.upper - found.lower, allowed = asked.tolerance * found.upper;
    const double width = width_of(found);
    const double at = std::isfinite(found.upper) ? found.upper : made_->sum().solve(asked.at, planner_->at().epsilon);
    const double epsilon = asked.wants_epsilon() ? at : asked.at;
    const bool is_tight = found.lower > 0.5 * found.upper;
    const bool is_placed = is_near(found, planner_->at().epsilon, 0.1);
    const bool helps = std::isfinite(epsilon) && !(is_tight && is_placed && found.rounding > 0.5 * width);
    if (atom_plan_.reach > 0 && !(found.truncation < 0.3 * width)) {
      may_decay_ = false;
      if (!is_tight) return;
    }
    // Forecasts of tails and aliases, and of the losses that may be left out, were too low by as much.
    const double missed = found.truncation + found.wraparound;
    if (is_tight && missed > 0.3 * allowed) caution_ += std::max(1.0, math::log(missed / (0.05 * allowed)));
    if (!is_tight || found.discretization > 0.3 * width)
      most_smoothing_ = atom_plan_.smoothing * (is_tight ? std::clamp(0.7 * allowed / gap, 0.02, 0.7) : 0.3);
    if (!helps || !planner_->learn(epsilon, asked.wants_epsilon() ? asked.at : found.upper,
                                   made_->sum().delta(epsilon).slope, is_tight))
      no_atoms_ = true;
  }

  ContourPlan plan_{}, atom_plan_{};
  int attempts_ = 0, failed_at_ = -1, undecayed_at_ = -1;
  double smoothing_ = 1;  // factor on its part of the width, lower after each attempt
  std::optional<AtomPlanner> planner_;
  double atoms_ = 0, most_smoothing_ = infinity;
  double caution_ = 0;  // log of a factor on tails and aliases
  bool may_decay_ = true;
  int atom_attempts_ = 0;
  bool no_atoms_ = false;  // no further contour of atoms is tried
  bool is_of_atoms_ = false;
  std::shared_ptr<const ContourComposition> made_;
};

}  // namespace

std::unique_ptr<Method> discretized_contour(Task& task) { return std::make_unique<ByDiscretizedContour>(task); }

}  // namespace hockeystick
