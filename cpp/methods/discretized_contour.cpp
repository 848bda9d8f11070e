// SPDX-License-Identifier: Apache-2.0
// The row of smoothed contours: of laws of atoms, or else of discretized steps.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "methods/contour_composition.hpp"
#include "methods/fft_composition.hpp"
#include "methods/method.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/cost.hpp"
#include "plan/smoothed_plan.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// The number of atoms of all terms; 0 if some losses are not atoms. A moment by a formula counts as one atom.
double atoms_of(const Direction& terms) {
  double count = 0;
  for (const Term& term : terms) {
    const auto law = term.pair->finite_law();
    if (!law || law->atoms.empty() || is_off("atoms")) return 0;
    count += term.pair->has_whole_line() ? 1 : static_cast<double>(law->atoms.size());
  }
  return count;
}

// Contours of atoms, and of discretized steps that cost less than a long transform of the same steps.
class ByDiscretizedContour final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    if (!task_.is_named() && is_of_cheap_grids()) return {.obstacle = "a transform is cheap"};
    if (is_done_) return {.obstacle = "finer smoothing does not help"};
    const Forecast of_atoms = forecast_atoms();
    is_of_atoms_ = of_atoms.obstacle.empty();
    if (is_of_atoms_ && of_atoms.cost <= tuning::cheap) return of_atoms;
    GridPlanner& grid = task_.grid();
    const bool no_transform = !grid.limited_by().empty() || grid.plan().bytes > task_.limits.memory();
    if (!task_.is_named() && !no_transform && grid.cost() < tuning::cheap) return {.obstacle = "a transform is cheap"};
    return *atoms_ > 0 ? of_atoms : forecast_steps();
  }

  std::shared_ptr<const Evaluator> prepare() override {
    ++attempts_;
    const double near = place().at().epsilon;
    if (is_of_atoms_) return made_ = ContourComposition::of(task_.terms(), plan_, near);
    const Plan& grid = task_.grid().plan();
    const Held room(grid.step_bytes);
    const DiscretizedSteps steps = discretized(task_.terms(), grid);
    if (grid.closing.top < infinity) {  // the pair's nodes represent closed steps poorly
      plan_ = planned(Saddlepoint(steps.upper, task_.terms()), place(), 2 * grid.points);
      if (!(plan_.cost < infinity)) return nullptr;
    }
    return made_ = ContourComposition::of_steps(task_.terms(), grid.interval, steps, plan_, near);
  }

  // One end of the answer suffices to move the place. Smoothing widens the answer by its width next to an atom,
  // elsewhere by its square.
  void learn(const Answer& found) override {
    const Question& asked = task_.question;
    const double gap = found.upper - found.lower, allowed = asked.tolerance_at(found.upper) * found.upper;
    const double missed = found.truncation + found.wraparound;
    const double width = missed + found.rounding + found.discretization;
    const bool is_tight = found.lower > 0.5 * found.upper;
    is_done_ = attempts_ >= tuning::most_attempts;
    const double near = place().at().epsilon;
    double epsilon = asked.at;
    if (asked.wants_epsilon()) epsilon = std::isfinite(found.upper) ? found.upper : made_->sum().solve(asked.at, near);
    const double moved = std::fabs(epsilon - near);
    const bool is_placed = moved <= 0.1 * epsilon;
    if (plan_.reach > 0 && !(moved > 0.5 * epsilon) && !(found.truncation < 0.3 * width)) {
      may_decay_ = false;
      return;
    }
    // Forecasts of tails and aliases, and of the losses that may be left out, were too low by as much.
    if (is_tight && missed > 0.3 * allowed) caution_ += std::max(1.0, math::log(missed / (0.05 * allowed)));
    if (!std::isfinite(epsilon) || (is_tight && is_placed && found.rounding > 0.5 * width)) is_done_ = true;
    if (!is_of_atoms_) {
      part_ *= std::clamp(0.7 * allowed / gap, 0.3, 0.8);
      if (found.lower > 0 || (found.slope > 0 && !is_placed))
        task_.refine_grid();
      else
        is_done_ = true;
      return;
    }
    if (!is_tight || found.discretization > 0.3 * width)
      most_smoothing_ = plan_.smoothing * (is_tight ? std::clamp(0.7 * allowed / gap, 0.02, 0.7) : 0.3);
    of_atoms_->move(epsilon, math::log(asked.wants_epsilon() ? asked.at : task_.answer.upper), is_tight,
                    made_->sum().delta(epsilon).slope, 0);
  }

 private:
  static constexpr std::size_t many_atoms = 200;

  const Place& place() { return is_of_atoms_ ? *of_atoms_ : task_.grid().place(); }

  // Whether a transform takes no longer than planning a contour of the atoms.
  bool is_of_cheap_grids() {
    std::size_t count = 0;
    for (const Term& term : task_.terms())
      if (const auto law = term.pair->finite_law()) count += law->atoms.size();
    if (count == 0 || !task_.grid().limited_by().empty()) return false;
    return task_.grid().cost() < (count > many_atoms ? tuning::cheap_grid_of_many_atoms : tuning::cheap_grid);
  }

  ContourPlan planned(const Saddlepoint& saddlepoint, const Place& place, double points) const {
    return plan_smoothed_contour(saddlepoint, place.at(),
                                 {part_ * place.log_tolerance(), points, caution_, most_smoothing_, may_decay_});
  }

  Forecast forecast_atoms() {
    if (!atoms_) atoms_ = atoms_of(task_.terms());
    if (*atoms_ == 0) return {.obstacle = "not all losses are atoms"};
    if (!of_atoms_)
      of_atoms_.emplace(task_.terms(), task_.question, infinity_mass(task_.terms()).upper(), Place::Closes::always);
    if (const auto known = task_.known_log_delta(); known && attempts_ == 0) of_atoms_->see(*known);
    if (!of_atoms_->is_answerable()) return {.obstacle = "no finite loss has a part in delta"};
    plan_ = planned(of_atoms_->saddlepoint(), *of_atoms_, *atoms_);
    plan_.needs.cut = of_atoms_->cut() * math::exp(-caution_) / of_atoms_->saddlepoint().total_count();
    plan_.closing = of_atoms_->closing();
    return offered(cost::contour_sample_bytes * static_cast<double>(plan_.contour.count));
  }

  Forecast forecast_steps() {
    GridPlanner& grid = task_.grid();
    if (!grid.limited_by().empty()) return {.obstacle = "finer grids do not help"};
    if (!grid.place().is_answerable()) return {.obstacle = "no finite loss has a part in delta"};
    plan_ = planned(grid.place().saddlepoint(), grid.place(), 2 * grid.plan().points);
    plan_.cost *= 10;  // by the clock: steps are discretized anew, and their lines have many points
    return offered(grid.plan().step_bytes);
  }

  Forecast offered(double bytes) const {
    if (!(plan_.cost < (task_.is_named() ? infinity : tuning::most_for_contour)))
      return {.obstacle = "it needs too many samples"};
    if (bytes > task_.limits.memory()) return {.obstacle = "memory_limit"};
    return {plan_.cost, bytes, 0.7, {}};
  }

  std::optional<double> atoms_;
  std::optional<Place> of_atoms_;
  bool is_of_atoms_ = false;
  ContourPlan plan_{};
  int attempts_ = 0;
  double part_ = 1;     // of the tolerance, since grids also widen the answers of steps
  double caution_ = 0;  // log of a factor on tails and aliases
  double most_smoothing_ = infinity;
  bool may_decay_ = true;
  std::shared_ptr<const ContourComposition> made_;
};

}  // namespace

std::unique_ptr<Method> discretized_contour(Task& task) { return std::make_unique<ByDiscretizedContour>(task); }

}  // namespace hockeystick
