// SPDX-License-Identifier: Apache-2.0
#include "methods/fft_composition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "discretize/connect_dots.hpp"
#include "discretize/tangent_hull.hpp"
#include "methods/budgeted.hpp"
#include "methods/composition_cache.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/workspace.hpp"

namespace hockeystick {

DiscretizedSteps discretized(const Direction& direction, const Plan& plan) {
  DiscretizedSteps steps;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const DominatingPair& pair = *direction[j].pair;
    const SupportCells halves = cut_midway(pair, plan.supports[j].build());
    steps.upper.push_back(connect_dots(halves));
    steps.lower.push_back(tangent_hull(cut_again(pair, halves, tangent_points(halves))));
  }
  return steps;
}

namespace {

std::pair<CurveTable, CurveTable> composed(const Direction& direction, const Plan& plan) {
  // The tables that it leaves are charged where they are made.
  const Held room(plan.bytes - 2 * CurveTable::bytes(static_cast<double>(plan.window.size)));
  const auto fft = shared_fft(plan.fft_size);
  const auto [upper, lower] = discretized(direction, plan);
  Workspace circle(plan.fft_size);
  const auto side = [&](const std::vector<StepPmf>& steps) {
    std::vector<ComposedTerm> terms;
    for (std::size_t j = 0; j < direction.size(); ++j)
      terms.push_back({tilted(steps[j], plan.tilt, plan.log_moments[j]), direction[j].count});
    return CurveTable(compose(terms, *fft, plan.window, plan.chernoff, circle.doubles()));
  };
  CurveTable above = side(upper);
  return {std::move(above), side(lower)};
}

}  // namespace

FftComposition::FftComposition(const Direction& direction, const Plan& plan, const Saddle& at)
    : FftComposition(composed(direction, plan), plan, at) {}

FftComposition::FftComposition(std::pair<CurveTable, CurveTable>&& sides, const Plan& plan, const Saddle& at)
    : interval_(plan.interval),
      tilt_(plan.tilt),
      slope_(at.slope),
      size_(plan.fft_size),
      cost_(plan.cost),
      upper_(std::move(sides.first)),
      lower_(std::move(sides.second)) {}

Answer FftComposition::answer(Quantity quantity, double at, double) const {
  const bool wants_epsilon = quantity == Quantity::epsilon;
  Answer result = enclosed({0, infinity}, "fft_composition");
  double epsilon = at;
  if (wants_epsilon) {
    result.upper = epsilon = upper_.epsilon(at);
    result.lower = lower_.epsilon(at);
    if (!std::isfinite(epsilon)) epsilon = std::isfinite(result.lower) ? result.lower : 0;
  }
  const CertifiedDelta high = upper_.delta(epsilon), low = lower_.delta(epsilon);
  if (!wants_epsilon) result.upper = high.value, result.lower = low.value;
  result.truncation = std::max(0.0, high.truncation - lower_.pmf().infinity_mass);
  result.wraparound = low.wraparound;
  result.rounding =
      high.rounding + low.rounding + (upper_.pmf().loss_error + lower_.pmf().loss_error) * slope_ * high.value;
  result.discretization =
      std::max(0.0, high.value - low.value - result.truncation - result.wraparound - result.rounding);
  result.interval = interval_;
  result.size = size_;
  result.tilt = tilt_;
  result.cost = cost_;
  return result;
}

namespace {

class ByTransform final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    GridPlanner& grid = task_.grid();
    if (is_done_ || !grid.limited_by().empty()) return {.obstacle = "finer grids do not help"};
    const double bytes = grid.plan().bytes;
    return {grid.cost(), bytes, bytes <= task_.limits.memory() ? 0.7 : infinity, {}};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    GridPlanner& grid = task_.grid();
    const double bytes = grid.plan().bytes;
    const bool fits = grid.fit(task_.limits.memory());
    if (!grid.limited_by().empty()) refuse(task_.answer, bytes);
    is_done_ = !fits;
    return fits ? cached_composition(task_.terms(), grid.plan(), grid.at()) : nullptr;
  }

  void learn(const Answer&) override { task_.refine_grid(); }
};

}  // namespace

std::unique_ptr<Method> fft_composition(Task& task) { return std::make_unique<ByTransform>(task); }

}  // namespace hockeystick
