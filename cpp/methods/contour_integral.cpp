// SPDX-License-Identifier: Apache-2.0
// The row of contours without smoothing: the moments of at least one pair decay, as those of densities do.
#include <algorithm>
#include <optional>
#include <utility>

#include "methods/contour_composition.hpp"
#include "methods/method.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "plan/contour_plan.hpp"
#include "plan/cost.hpp"
#include "plan/thinned.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

bool has_atoms_alone(const Term& term) { return term.pair->finite_law().has_value(); }

class ByContourIntegral final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (task_.runs_once() && !task_.is_named()) return {.obstacle = "one step is integrated as it is"};
    if (!planner_ && !is_done_) {
      const auto& terms = task_.terms();
      const auto atoms = std::count_if(terms.begin(), terms.end(), has_atoms_alone);
      is_done_ = atoms == std::ssize(terms);
      infinity_mass_ = atoms > 0 ? infinity_mass(terms).upper() : 0;
    }
    const Question& asked = task_.question;
    if (asked.wants_epsilon() && !(asked.at > infinity_mass_))
      return {.obstacle = "no finite loss has a part in delta"};
    if (!planner_ && !is_done_) {
      const auto terms = static_cast<double>(std::min(task_.terms().size(), most_forecast_terms));
      const double nodes = cost::line_nodes(task_.limits.memory() / 2, terms);
      if (nodes < cost::fewest_line_nodes) return {.obstacle = "memory_limit"};
      bytes_ = terms * (cost::line_bytes + nodes * cost::node_bytes);
      held_ = Held(bytes_);
      planner_.emplace(task_.terms(), finite_part(task_.question, infinity_mass_), nodes);
    }
    // A contour may cost more than a transform if another method's answer was too wide, or if it is asked for by name.
    const bool is_alone = task_.answer.passes > attempts_ || task_.is_named();
    const double rival = !is_alone ? 0 : task_.is_named() ? infinity : task_.rival;
    if (!plan_ && !is_done_ && (!failed_ || rival > planner_->budget())) {
      plan_ = planner_->next(lines_, rival);
      failed_ = !plan_;
      if (failed_) lines_.clear();
      is_done_ = failed_ && (rival == infinity || !planner_->is_dear());
    }
    if (is_done_) held_ = {}, planner_.reset();
    if (!plan_) return {.obstacle = "no line of moments that costs less than a transform"};
    // Where delta is next to 1, and no contour tells 1 - delta, Chernoff's inequality may do, which costs next to
    // nothing. So it may where a dear contour is of a delta below the floor.
    const bool is_next_to_one = !asked.wants_epsilon() && planner_->at().log_delta > math::log(0.5);
    const bool may_wait = is_next_to_one || plan_->cost > tuning::for_the_smallest;
    if (may_wait && !task_.is_bounded && !task_.is_named()) return {.obstacle = "the trivial bounds come first"};
    const double sample_bytes = cost::contour_sample_bytes * static_cast<double>(plan_->contour.count);
    if (task_.limits.memory() < sample_bytes) return {.obstacle = "memory_limit"};
    return {plan_->cost, bytes_ + sample_bytes, 0.7, {}};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    ++attempts_;
    const ContourPlan plan = *std::exchange(plan_, {});
    const double near = planner_->epsilon();
    return made_ = lines_.empty() ? ContourComposition::of(task_.terms(), plan, near)
                                  : ContourComposition::of(task_.terms(), lines_, plan, near);
  }

  void learn(const Answer&) override {
    const ContourSum& sum = made_->sum();
    const Question asked = finite_part(task_.question, infinity_mass_);
    const double epsilon = asked.wants_epsilon() ? sum.solve(asked.at, planner_->epsilon()) : asked.at;
    const ContourDelta found = sum.delta(epsilon);
    is_done_ = attempts_ >= tuning::most_attempts ||
               !planner_->learn(epsilon, found.value, found.slope, found.rounding / sum.unit(epsilon));
  }

 private:
  std::optional<ContourPlanner> planner_;
  std::optional<ContourPlan> plan_;
  Lines lines_;
  double infinity_mass_ = 0;
  double bytes_ = 0;  // of the lines
  Held held_;
  std::shared_ptr<const ContourComposition> made_;
  int attempts_ = 0;
  bool failed_ = false;  // whether the last search found no plan
};

}  // namespace

std::unique_ptr<Method> contour_integral(Task& task) { return std::make_unique<ByContourIntegral>(task); }

}  // namespace hockeystick
