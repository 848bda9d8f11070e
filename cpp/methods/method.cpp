// SPDX-License-Identifier: Apache-2.0
#include "methods/method.hpp"

#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {

void Evaluator::deltas(std::span<const double> epsilons, std::span<Answer> answers) const {
  for (std::size_t i = 0; i < epsilons.size(); ++i)
    answers[i] = answer(Quantity::delta, epsilons[i], std::numeric_limits<double>::quiet_NaN());
}

std::string_view Task::grid_obstacle() const {
  if (is_named()) return {};
  if (runs_once()) return "one step is integrated as it is";
  if (!is_bounded) return "the trivial bounds come first";
  return beyond_grids ? "no grid is fine enough so close to the largest loss" : "";
}

std::optional<double> Task::known_log_delta() const {
  if (question.wants_epsilon() || !(2 * answer.lower > answer.upper)) return {};
  return math::log(answer.upper);
}

GridPlanner& Task::grid() {
  if (!planner) planner = std::make_unique<GridPlanner>(terms(), question, infinity_mass(terms()).upper());
  if (const auto known = known_log_delta()) planner->see(*known);
  return *planner;
}

namespace {

Width width_of(const Answer& found) {
  return {found.lower, found.upper,    found.truncation + found.wraparound, found.rounding, found.discretization,
          found.slope, found.curvature};
}

}  // namespace

double Task::excess() { return grid().excess(width_of(answer)); }

void Task::refine_grid() {
  planner->learn(width_of(answer));
  if (answer.limited_by.empty()) answer.limited_by = grid().limited_by();
}

}  // namespace hockeystick
