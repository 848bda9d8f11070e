// SPDX-License-Identifier: Apache-2.0
#include "methods/fft_composition.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "discretize/connect_dots.hpp"
#include "discretize/tangent_hull.hpp"
#include "methods/budgeted.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/rounding.hpp"
#include "plan/tuning.hpp"
#include "pld/reflect.hpp"

namespace hockeystick {

namespace {

// log of an upper bound of E_P[e^(-t L)] of a pair, t >= 1, by its step from above. It is an average under Q of a
// convex function of the likelihood ratio, so spreading mass with its P- and Q-mass kept only raises it. Errors of
// shares moved up Q-mass that counts at -inf.
double log_moment_below(const DominatingPair& pair, const StepPmf& step, double t) {
  if (step.loss(0) > pair.loss_infimum() || t < 1) return infinity;  // the step moved mass up to its first loss
  const double moment = math::exp(log_moment_above(tilted(step, 0, 0), -t));
  const double moved = t * step.reverse_infinity_mass * math::exp(-(t - 1) * step.loss(0));
  return math::log(moment + moved) * (1 + 8 * u) + 32 * u;  // proof: closed-support
}

// Closing a step does not change delta(epsilon) if all other losses of the run add up to at least epsilon less the top.
// They do if the sum of their infima does. Else Chernoff's inequality bounds the probability that they do not, and then
// delta grows by at most the mass above the top. Losses have errors, and so has the epsilon at which the curve is read.
Reach reach_of(const Direction& direction, const Plan& plan, const DiscretizedSteps& found) {
  const std::vector<StepPmf>& steps = found.upper;
  double room = infinity, top = infinity, least = 0, off = 0, size = 0, mass = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const DominatingPair& pair = *direction[j].pair;
    const auto count = static_cast<double>(direction[j].count);
    const double lowest = pair.loss_infimum(), last = steps[j].loss(steps[j].index.size() - 1);
    if (plan.supports[j].closed()) {
      room = std::min(room, last - lowest), top = std::min(top, last);
      mass += count * (steps[j].mass.back() + steps[j].infinity_mass);
    }
    least += count * lowest;
    off += count * (2 * std::max(steps[j].loss_error, found.lower[j].loss_error) + 1e-12 * (1 + std::fabs(lowest)));
    size += count * (std::fabs(lowest) + std::fabs(steps[j].offset)) + std::fabs(last);
  }
  if (room == infinity) return {};
  off += 1e-9 * size;  // proof: closed-support
  const auto& [planned, other, tilt] = plan.closing;
  if (!(tilt > 0)) return {room + least - off, 0};  // proof: closed-support
  double log_excess = infinity;
  for (double t = tilt; t >= 1 && t > tilt / 8; t *= 0.7) {  // the grid raises moments at steep tilts
    double log_moment = 0;
    for (std::size_t j = 0; j < direction.size(); ++j)
      log_moment +=
          static_cast<double>(direction[j].count) * std::max(0.0, log_moment_below(*direction[j].pair, steps[j], t));
    log_excess = std::min(log_excess, log_moment + t * (other + off) + 1e-12 * (log_moment + t * std::fabs(other) + 1));
  }
  const double excess = mass * math::exp(std::min(700.0, log_excess));
  return {top + other - off, excess * (1 + 1e-9)};  // proof: closed-support
}

}  // namespace

DiscretizedSteps discretized(const Direction& direction, const Plan& plan) {
  DiscretizedSteps steps;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const DominatingPair& pair = *direction[j].pair;
    const SupportCells halves = cut_midway(pair, plan.supports[j].build());
    steps.upper.push_back(connect_dots(halves));
    steps.lower.push_back(tangent_hull(halves));
  }
  steps.reach = reach_of(direction, plan, steps);
  return steps;
}

FftComposition::Sides FftComposition::composed(const Direction& direction, const Plan& plan) {
  // `CurveTable` charges for its own memory.
  const Held room(plan.bytes - 2 * CurveTable::bytes(static_cast<double>(plan.window.size)));
  const auto fft = shared_fft(plan.fft_size);
  const auto [upper, lower, reach] = discretized(direction, plan);
  std::vector<double> circle(plan.fft_size);
  const auto side = [&](const std::vector<StepPmf>& steps) {
    std::vector<ComposedTerm> terms;
    for (std::size_t j = 0; j < direction.size(); ++j)
      terms.push_back({tilted(steps[j], plan.tilt, plan.log_moments[j]), direction[j].count});
    return CurveTable(compose(terms, *fft, plan.window, plan.chernoff, circle));
  };
  CurveTable above = side(upper);
  return {std::move(above), side(lower), reach};
}

FftComposition::FftComposition(const Direction& direction, const Plan& plan, const Saddle& at)
    : FftComposition(composed(direction, plan), plan, at) {}

FftComposition::FftComposition(Sides&& sides, const Plan& plan, const Saddle& at)
    : interval_(plan.interval),
      tilt_(plan.tilt),
      slope_(at.slope),
      size_(plan.fft_size),
      cost_(plan.cost),
      upper_(std::move(sides.upper)),
      lower_(std::move(sides.lower)),
      reach_(sides.reach) {}

Answer FftComposition::answer(Quantity quantity, double at, double) const {
  const bool wants_epsilon = quantity == Quantity::epsilon;
  Answer result = enclosed({0, infinity}, "fft_composition");
  double epsilon = at;
  if (wants_epsilon) {
    result.upper = epsilon = upper_.epsilon(at);
    result.lower =
        std::min(lower_.epsilon(up(at + reach_.excess)), std::max(0.0, reach_.epsilon));  // proof: closed-support
    if (!std::isfinite(epsilon)) epsilon = std::isfinite(result.lower) ? result.lower : 0;
  }
  const CertifiedDelta high = upper_.delta(epsilon);
  CertifiedDelta low = lower_.delta(epsilon);
  low.value = epsilon <= reach_.epsilon ? std::max(0.0, down(low.value - reach_.excess)) : 0;  // proof: closed-support
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
  const auto delta_at = [&](double x) { return upper_.delta(x).value; };
  if (wants_epsilon && std::isfinite(result.upper)) describe(delta_at, interval_, result.upper, result);
  return result;
}

namespace {

// The reverse of a run, whose curve at -epsilon tells delta(epsilon).
struct ReverseOrder {
  Direction terms;
  double alpha;  // e^epsilon
  GridPlanner grid;

  ReverseOrder(Direction reverse, double epsilon, double tolerance)
      : terms(std::move(reverse)), alpha(math::exp(epsilon)), grid(terms, {Quantity::delta, -epsilon, tolerance}, 0) {}

  void learn(const Answer& found) {
    const auto back = [this](double delta) { return 1 - (1 - delta) / alpha; };
    grid.learn({back(found.lower), back(found.upper), (found.truncation + found.wraparound) / alpha,
                found.rounding / alpha, found.discretization / alpha});
  }
};

// A composition of the reverse, which tells no epsilon.
class Reversed final : public Evaluator {
 public:
  explicit Reversed(FftComposition composition) : composition_(std::move(composition)) {}

  Answer answer(Quantity quantity, double at, double near) const override {
    if (quantity == Quantity::epsilon) return enclosed({0, infinity}, "fft_composition");
    Answer result = composition_.answer(quantity, -at, near);
    const Interval found = by_reverse(at, {result.lower, result.upper});
    result.lower = found.lower, result.upper = found.upper;
    for (double* part : {&result.discretization, &result.truncation, &result.wraparound, &result.rounding})
      *part *= math::exp(at);
    return result;
  }
  double bytes() const override { return composition_.bytes(); }

 private:
  FftComposition composition_;
};

class ByTransform final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    if (task_.grid().attempts() == 0) choose_order(true);
    GridPlanner& next = grid();
    if (is_done_ || !next.limited_by().empty()) return {.obstacle = "finer grids do not help"};
    const double bytes = next.plan().bytes, memory = task_.limits.memory();
    if (bytes <= memory) return {next.cost(), bytes, 0.7, {}};
    const double coarser = bytes / memory;  // than wanted, of a grid as coarse as fits
    return {next.cost() / coarser, bytes, 1 + coarser * coarser, {}};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    GridPlanner& next = grid();
    const double bytes = next.plan().bytes;
    const bool fits = next.fit(task_.limits.memory());
    if (!next.limited_by().empty()) refuse(task_.answer, bytes);
    is_done_ = !fits;
    if (!fits) return nullptr;
    FftComposition made(is_reversed_ ? reverse_->terms : task_.terms(), next.plan(), next.place().at());
    if (is_reversed_) return std::make_shared<const Reversed>(std::move(made));
    return std::make_shared<const FftComposition>(std::move(made));
  }

  void learn(const Answer& found) override {
    if (is_reversed_)
      reverse_->learn(found);
    else
      task_.refine_grid();
    const bool tells = found.lower > 0;
    if (is_reversed_)
      is_reversed_ = is_limited() || (tells && reverse_->grid.limited_by().empty());
    else
      choose_order(tells);
  }

 private:
  GridPlanner& grid() { return is_reversed_ ? reverse_->grid : task_.grid(); }

  bool is_limited() { return !task_.grid().limited_by().empty(); }

  // The lower curve of a coarse grid may bound nothing where much mass lies right below the largest loss. The reverse
  // is asked if its grid costs a tenth, if a grid of this order bounded delta by 0 from below, or if finer grids of
  // this order do not help.
  void choose_order(bool tells) {
    const double next = task_.grid().cost();
    if (!reverse_ && (is_limited() || !tells || next > tuning::cheap)) look_at_reverse();
    if (reverse_ && reverse_->grid.attempts() == 0)
      is_reversed_ = is_limited() || reverse_->grid.cost() < (tells ? 0.1 * next : next + task_.answer.total_cost);
  }

  void look_at_reverse() {
    const Question& asked = task_.question;
    if (asked.wants_epsilon()) return;
    const double likely = std::min(task_.answer.upper, math::exp(task_.grid().place().log_delta()));
    const double back = math::expm1(asked.at) + likely;  // the reverse's delta, times e^epsilon
    const double tolerance = asked.tolerance_at(likely) * likely / back;
    if (!(tolerance > 1e-6)) return;  // transforms of many steps round by up to 1e-7
    Direction terms = task_.terms();
    for (Term& term : terms)
      if (!(term.pair = term.pair->reverse())) return;
    reverse_ = std::make_unique<ReverseOrder>(std::move(terms), asked.at, tolerance);
  }

  std::unique_ptr<ReverseOrder> reverse_;
  bool is_reversed_ = false;  // whether the next attempt is of the reverse
};

}  // namespace

std::unique_ptr<Method> fft_composition(Task& task) { return std::make_unique<ByTransform>(task); }

}  // namespace hockeystick
