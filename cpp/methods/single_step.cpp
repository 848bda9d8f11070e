// SPDX-License-Identifier: Apache-2.0
#include "methods/single_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "methods/method.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "plan/cost.hpp"

namespace hockeystick {
namespace {

// Larger than any finite loss.
constexpr double beyond_loss = 1e300;

class SingleStep {
 public:
  explicit SingleStep(const DominatingPair& pair)
      : pair_(pair), finite_bound_(pair.finite_loss_bound()), infinity_mass_(pair.infinity_mass().upper) {}

  double upper(double epsilon) {
    if (epsilon >= finite_bound_) return infinity_mass_;
    const auto cells = beside(epsilon, -1);
    if (!cells) return 1;
    const double finite = cells->upper_tail_above + error(*cells);
    // A sum with 0 has no rounding.
    return std::min(1.0, finite == 0 ? cells->infinity_mass : (finite + cells->infinity_mass) * (1 + 4 * u));
  }

  /// Approximate log delta(epsilon) and slope -d log delta / d epsilon. `off` is their error as a distance in epsilon,
  /// and `is_lost` says whether underflow may hide a small delta.
  struct Point {
    double log_delta, slope, off;
    bool is_lost;
  };
  Point about(double epsilon) {
    const auto cells = beside(epsilon, -1);
    if (!cells || epsilon >= finite_bound_) return {math::log(cells ? infinity_mass_ : 1), 0, 0, false};
    const double delta = cells->upper_tail_above + cells->infinity_mass;
    const double fall = cells->upper_tail_p - cells->upper_tail_above;
    const bool is_lost = !cells->own_scale && cells->upper_tail_above < least;
    return {math::log(std::max(delta, 1e-320)), fall / delta, error(*cells) / fall + shifted_, is_lost};
  }

  /// An upper bound.
  double infinity_mass() const { return infinity_mass_; }

  double lower(double epsilon) {
    const auto cells = beside(epsilon, 1);
    if (!cells) return 0;
    const double finite = cells->upper_tail_above - error(*cells);
    const double known = cells->infinity_mass_lower;
    return finite <= 0 ? known : std::max(known, lowered(finite + known, 4 * u));
  }

 private:
  static double error(const PairCells& cells) {
    return 2 * cells.share_error * cells.upper_tail_above + cells.share_error_p * cells.upper_tail_p +
           (cells.own_scale ? 0 : least);  // proof: single-step
  }

  static constexpr double least = 1e-307;  // covers underflow

  // The integrals at an edge that lies at least its own loss error beyond epsilon, on the side of `sign`.
  std::optional<PairCells> beside(double epsilon, double sign) {
    for (int i = 0; i < 12; ++i) {
      PairCells cells = pair_.integrate(std::array{epsilon + sign * shift_});
      const double needed = cells.loss_error + u * (std::fabs(epsilon) + shift_);  // proof: single-step
      const bool enough = needed <= shift_;
      shifted_ = shift_;
      if (!enough || needed < shift_ / 8) shift_ = 2 * needed;  // also for the next edge
      if (enough) return cells;
    }
    return std::nullopt;
  }

  const DominatingPair& pair_;
  double finite_bound_;  // upper bound of finite losses
  double infinity_mass_;
  double shift_ = 0, shifted_ = 0;  // distances from epsilon of the next edge and the last one
};

// An epsilon at which delta(epsilon) is about `delta`, and its error. By Newton's method for log delta; if that leaves
// the bracket, for delta, which is convex, or by bisection, whichever goes farther.
std::pair<double, double> near_root(SingleStep& step, double delta, double most) {
  const double goal = math::log(delta);
  double low = 0, high = most, epsilon = 0;
  for (int i = 0; i < 100; ++i) {
    const auto [log_delta, slope, off, is_lost] = step.about(epsilon);
    if (log_delta > goal && is_lost) return {most, 0};
    (log_delta > goal ? low : high) = epsilon;
    const auto is_inside = [&](double next) { return next > low && next < high; };
    double next = epsilon + (log_delta - goal) / slope;
    if (std::fabs(next - epsilon) <= std::clamp(off, 1e-15 * epsilon, 1e-9 * epsilon)) return {epsilon, off};
    if (!is_inside(next) && high < beyond_loss)
      next = std::max(low + (high - low) / 2, epsilon - math::expm1(goal - log_delta) / slope);
    if (!is_inside(next)) next = high < beyond_loss ? low + (high - low) / 2 : std::min(std::max(1.0, 2 * low), most);
    if (next == epsilon) break;
    epsilon = next;
  }
  return {epsilon, 0};
}

// About the largest epsilon that is certainly too small, to a few digits. There is no upper end.
double exceeded_epsilon(const DominatingPair& pair, double delta) {
  if (SingleStep(pair).lower(beyond_loss) > delta) return infinity;
  SingleStep step(pair);
  const auto exceeds = [&](double epsilon) { return step.lower(epsilon) > delta; };
  if (!exceeds(0)) return 0;
  double low = 0, high = 1;
  while (high < beyond_loss && exceeds(high)) low = high, high *= 2;
  return halved(low, high, 20, 0, exceeds).lower;
}

}  // namespace

Interval single_step_delta(const DominatingPair& pair, double epsilon) {
  SingleStep step(pair);
  return {step.lower(epsilon), step.upper(epsilon)};
}

Interval single_step_epsilon(const DominatingPair& pair, double delta) {
  SingleStep step(pair);
  const auto exceeds = [&](double epsilon) { return step.lower(epsilon) > delta; };
  const auto suffices = [&](double epsilon) { return step.upper(epsilon) <= delta; };
  if (suffices(0)) return {0, 0};
  if (step.infinity_mass() > delta) return {exceeded_epsilon(pair, delta), infinity};
  // An approximate root, then steps outwards until each side is proved.
  const double most = std::min(beyond_loss, pair.finite_loss_bound());
  const auto [root, off] = near_root(step, delta, most);
  if (root >= beyond_loss) return {exceeded_epsilon(pair, delta), infinity};
  double lower = root, upper = root;
  const double nearest = 0.5 * off + u * root + smallest_subnormal;
  const double farthest = std::min(most, 1e4 * (root + 1));  // beyond that, underflow alone exceeds delta
  for (double away = nearest; lower > 0 && !exceeds(lower); away *= 4) lower = std::max(0.0, root - away);
  for (double away = nearest; upper < most && !suffices(upper); away *= 4)
    upper = upper < farthest ? std::min(farthest, root + away) : most;
  return {lower, upper};
}

namespace {

class SingleStepEvaluator final : public Evaluator {
 public:
  explicit SingleStepEvaluator(std::shared_ptr<const DominatingPair> pair) : pair_(std::move(pair)) {}

  Answer answer(Quantity quantity, double at, double) const override {
    const bool wants_epsilon = quantity == Quantity::epsilon;
    Answer result =
        enclosed(wants_epsilon ? single_step_epsilon(*pair_, at) : single_step_delta(*pair_, at), "single_step");
    const double epsilon = wants_epsilon ? result.upper : at;
    if (!std::isfinite(epsilon)) return result;
    const Interval there = wants_epsilon ? single_step_delta(*pair_, epsilon) : Interval{result.lower, result.upper};
    result.rounding = there.upper - there.lower;
    return result;
  }

 private:
  std::shared_ptr<const DominatingPair> pair_;
};

class BySingleStep final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (!task_.runs_once()) return {.obstacle = "more than one step"};
    if (is_done_) return {.obstacle = "rounding"};
    return {.cost = cost::term, .width = 1e-9};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<SingleStepEvaluator>(task_.terms().front().pair);
  }

  void learn(const Answer& found) override {
    Method::learn(found);
    task_.answer.limited_by = "rounding";
  }
};

}  // namespace

std::unique_ptr<Method> single_step(Task& task) { return std::make_unique<BySingleStep>(task); }

}  // namespace hockeystick
