// SPDX-License-Identifier: Apache-2.0
#include "methods/chernoff_bound.hpp"

#include <cmath>

#include "discretize/connect_dots.hpp"
#include "forecast/cost.hpp"
#include "forecast/grid_interval.hpp"
#include "methods/method.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/union_probability.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {

double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon,
                      double coarse) {
  if (!(at.tilt > 0)) return infinity;
  const double interval =
      at.regular ? interval_for_delta(saddlepoint, at, coarse) : interval_for_moment(saddlepoint, at.tilt, coarse);
  const Plan plan = make_plan(direction, saddlepoint, {at, coarse, interval, 1e-3, false});
  ChernoffMoment moment{plan.tilt};
  double loss_error = 0;
  UnionProbability infinite;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const double bytes = plan.supports[j].bytes_discretized();
    if (plan.supports[j].points() > 1e5 || bytes > Budget::left()) return infinity;
    const Held room(bytes);
    const StepPmf step = connect_dots(cut_midway(*direction[j].pair, plan.supports[j].build()));
    const auto count = static_cast<double>(direction[j].count);
    const TiltedStep at_tilt = tilted(step, plan.tilt, plan.log_moments[j]);
    moment.add(count, at_tilt.log_moment, log_moment_above(at_tilt, 0));
    infinite.add(0, step.infinity_mass, count);
    loss_error += count * step.loss_error;
  }
  // proof: underflow-delta
  const double finite = math::exp(moment.log_above(epsilon, loss_error)) * (1 + 1e-12) + 1e-307;
  return (finite + infinite.upper()) * (1 + 2 * unit_roundoff);
}

namespace {

class ChernoffBound final : public Evaluator {
 public:
  ChernoffBound(const Direction& terms, const Saddlepoint& saddlepoint, const Saddle& at)
      : terms_(terms), saddlepoint_(saddlepoint), at_(at) {}

  Answer answer(Quantity quantity, double at, double) const override {
    if (quantity == Quantity::epsilon) return enclosed({0, infinity}, "chernoff_bound");
    // proof: underflow-delta
    return enclosed({0, chernoff_delta(terms_, saddlepoint_, at_, at)}, "chernoff_bound");
  }

 private:
  Direction terms_;
  Saddlepoint saddlepoint_;
  Saddle at_;
};

// An upper bound answers where it is below `smallest_delta`.
class ByChernoff final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (is_done_ || task_.question.wants_epsilon()) return {.obstacle = "it bounds delta from above alone"};
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    const Saddle& at = task_.grid().at();
    far_ = at.tilt > 0 ? at : task_.grid().whole().far_saddle(task_.question.at);
    if (!(far_.log_delta < math::log(smallest_delta))) return {.obstacle = "delta is not below 1e-300"};
    return {.cost = cost::term * static_cast<double>(task_.terms().size())};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<ChernoffBound>(task_.terms(), task_.grid().whole(), far_);
  }

 private:
  Saddle far_{};
};

}  // namespace

std::unique_ptr<Method> chernoff_bound(Task& task) { return std::make_unique<ByChernoff>(task); }

}  // namespace hockeystick
