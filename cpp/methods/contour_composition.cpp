// SPDX-License-Identifier: Apache-2.0
// delta(epsilon) of a composition, from a few dozen to a few thousand moments of each term on a line of the complex
// plane.
#include "methods/contour_composition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/saddlepoint.hpp"
#include "plan/thinned.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

constexpr double next_to_0 = 1e-9;  // for a smaller epsilon, delta(0) is compared with the given delta first

// Smoothing bounds the samples beyond the reach, relative to the first that is left out. The bound is shared by the
// steps: each gets its root as the floor of its modulus.
Decay decay_of(const Direction& direction, const ContourPlan& plan) {
  if (!(plan.reach > 0)) return {};
  const auto& [lower, tilt, higher, period, count] = plan.contour;
  const double from = 2 * std::numbers::pi / period * static_cast<double>(count);
  double steps = 0, log_left = -infinity;
  for (const Term& term : direction) steps += static_cast<double>(term.count);
  for (const auto side : {Smoothing::Side::upper, Smoothing::Side::lower}) {
    const Smoothing smoothing(side, plan.smoothing);
    const double falls = smoothing.order(from) * math::log(plan.reach / from);
    log_left = std::max(log_left, math::log(smoothing.bound(tilt, plan.reach) / smoothing.bound(tilt, from)) + falls);
  }
  return {plan.reach, math::exp(std::min(0.0, log_left + 1e-9) / steps) + 4 * u};  // proof: modulus-bound
}

LineNeeds needs_of(const Direction& terms, const ContourPlan& plan) {
  LineNeeds needs = plan.needs;
  needs.top = plan.closing.top;
  needs.decay = decay_of(terms, plan);
  return needs;
}

Smoothing smoothing_of(Smoothing::Side side, const ContourPlan& plan) {
  return plan.smoothing > 0 ? Smoothing(side, plan.smoothing) : Smoothing();
}

// The tilt at which Chernoff's inequality shows delta(epsilon) <= `delta` by the forecast of a few terms; 0 if there is
// none.
double likely_tilt(const Direction& terms, double epsilon, double delta) {
  const Saddlepoint few(strided(terms, std::min<std::size_t>(terms.size() / 8, 16)));
  const double tilt = few.rough_saddle_for_epsilon(epsilon).tilt;
  return few.log_chernoff_delta(tilt, epsilon) < math::log(delta) ? tilt : 0;
}

}  // namespace

void ContourComposition::Rest::add(const MgfLine& line, double count) {
  const auto [infinite, loss_error, above_top, least] = line.uncounted();
  if (infinite.upper > 0) infinite_.add(infinite.lower, infinite.upper, count);
  loss_error_ += count * loss_error;
  if (closing_.top == infinity) return;
  closed_mass_ += count * above_top;
  if (above_top > 0) room_ = std::min(room_, closing_.top - least);
  least_ += count * least;
  size_ += count * std::fabs(least);
  if (closing_.tilt > 0) log_moment_ += count * std::max(0.0, line.log_moment_above(-closing_.tilt));
}

// How much closing atoms may raise delta(epsilon), as for closed supports (fft_composition.cpp): nothing if all other
// losses add up to at least epsilon less the top.
Reach ContourComposition::Rest::reach() const {
  if (!(closed_mass_ > 0)) return {};
  const auto& [top, other, tilt] = closing_;
  if (!(tilt >= 1)) return {room_ + least_ - 1e-12 * (size_ + std::fabs(top)), 0};  // proof: closed-support
  const double power = log_moment_ + tilt * other + 1e-12 * (log_moment_ + tilt * std::fabs(other) + 1);
  const double excess = closed_mass_ * math::exp(std::min(700.0, power)) * (1 + 1e-9);
  return {top + other - 1e-12 * (std::fabs(top) + std::fabs(other)), excess};  // proof: closed-support
}

ContourComposition::Moments ContourComposition::moments_of(const Direction& terms, const LineOf& line_of,
                                                           const ContourPlan& plan) {
  Rest rest(plan.closing);
  const LineOf seen = [&](std::size_t j) -> const MgfLine& {
    const MgfLine& line = line_of(j);
    rest.add(line, static_cast<double>(terms[j].count));
    return line;
  };
  ContourProduct product(terms, seen, plan.contour);
  return {std::move(product), rest};
}

// Whole lines cannot be closed, so they are used only if no step is closed, or if every step has one.
bool ContourComposition::may_be_whole(const Direction& terms, const ContourPlan& plan) {
  const bool none_closes =
      plan.closing.top == infinity ||
      std::all_of(terms.begin(), terms.end(), [](const Term& term) { return term.pair->has_whole_line(); });
  return plan.smoothing > 0 && none_closes && plan.reach == 0 && !is_off("whole_line");
}

std::shared_ptr<const ContourComposition> ContourComposition::of(const Direction& terms, const ContourPlan& plan,
                                                                 double near) try {
  const LineOf line_of = made_in_turn(terms, needs_of(terms, plan), may_be_whole(terms, plan));
  return std::shared_ptr<const ContourComposition>(
      new ContourComposition(moments_of(terms, line_of, plan), plan, near));
} catch (const NoLine&) {
  return nullptr;
}

std::shared_ptr<const ContourComposition> ContourComposition::of(const Direction& terms, const Lines& lines,
                                                                 const ContourPlan& plan, double near) {
  return std::shared_ptr<const ContourComposition>(
      new ContourComposition(moments_of(terms, kept(lines), plan), plan, near));
}

ContourComposition::ContourComposition(Moments moments, const ContourPlan& plan, double near)
    : plan_(plan),
      near_(near),
      upper_(moments.product, smoothing_of(Smoothing::Side::upper, plan)),
      infinity_mass_(moments.rest.infinity_mass()),
      error_above_(moments.rest.loss_error()),
      error_below_(error_above_),
      reach_(moments.rest.reach()) {
  reach_.epsilon -= error_above_;  // proof: closed-support
  if (plan.smoothing > 0) {
    lower_.emplace(moments.product, smoothing_of(Smoothing::Side::lower, plan));
    held_ = Held(bytes());
  } else {
    moments_.emplace(std::move(moments));
  }
}

ContourComposition::ContourComposition(const Moments& upper, const Moments& lower, const Reach& reach,
                                       const ContourPlan& plan, double near)
    : plan_(plan),
      near_(near),
      upper_(upper.product, smoothing_of(Smoothing::Side::upper, plan)),
      lower_(std::in_place, lower.product, smoothing_of(Smoothing::Side::lower, plan)),
      infinity_mass_{lower.rest.infinity_mass().lower, upper.rest.infinity_mass().upper},
      error_above_(upper.rest.loss_error()),
      error_below_(lower.rest.loss_error()),
      reach_(reach),
      held_(bytes()) {}

std::shared_ptr<const ContourComposition> ContourComposition::of_steps(const Direction& terms, double interval,
                                                                       const DiscretizedSteps& steps,
                                                                       const ContourPlan& plan, double near) try {
  const auto moments = [&](const std::vector<StepPmf>& side) {
    return moments_of(terms, made_in_turn(side, plan.contour.tilt, decay_of(terms, plan)), plan);
  };
  std::shared_ptr<ContourComposition> result(
      new ContourComposition(moments(steps.upper), moments(steps.lower), steps.reach, plan, near));
  result->interval_ = interval;
  return result;
} catch (const NoLine&) {
  return nullptr;
}

ContourComposition::Ends ContourComposition::ends(double epsilon) const {
  const double above = error_above_ > 0 ? down(epsilon - error_above_) : epsilon;
  const double below = error_below_ > 0 ? up(epsilon + error_below_) : epsilon;
  const ContourDelta high = upper_.delta(above);
  return {high, has_one_sum() ? high : lower().delta(below)};
}

Interval ContourComposition::delta(double epsilon, const Ends& at) const {
  if (is_complement()) {  // the sums are of 1 - delta, which masses that are not listed may add to
    const double unlisted = up(infinity_mass_.upper - infinity_mass_.lower);
    return {
        std::max(0.0, down(1 - up(at.low.upper() * (1 + 4 * u) + unlisted))),            // proof: contour-complement
        std::min(1.0, up(1 - std::max(0.0, at.high.lower() - 4 * u * at.high.value)))};  // proof: contour-complement
  }
  const double lower = at.low.lower() * (1 - 4 * u) + infinity_mass_.lower * (1 - 4 * u) - reach_.excess * (1 + 4 * u);
  return {epsilon <= reach_.epsilon ? std::max(0.0, lower * (1 - 4 * u)) : 0.0,    // proof: closed-support
          std::min(1.0, (at.high.upper() + infinity_mass_.upper) * (1 + 4 * u))};  // proof: clamping
}

Interval ContourComposition::epsilon(double delta, double start, Root& root) const {
  const double above = infinity_mass_.upper > 0 ? down(delta - infinity_mass_.upper * (1 + 4 * u)) : delta;
  const bool is_shared = !lower_ && infinity_mass_.upper == 0 && reach_.excess == 0;
  Interval result{0, infinity};
  if (above > 0) {
    root.epsilon = start > 0 ? upper_.solve(above, start) : 0;
    if (!(root.epsilon > next_to_0)) {
      root = {0, upper_.delta(-error_above_)};
      if (root.at.upper() <= above) return {0, 0};
      root.epsilon = upper_.solve(above, start);
    }
    root.at = upper_.delta(root.epsilon);
    const Interval around = upper_.enclose(above, root.epsilon, root.at);
    result.upper = error_above_ > 0 ? up(around.upper + error_above_) : around.upper;
    if (is_shared) result.lower = error_below_ > 0 ? down(around.lower - error_below_) : around.lower;
  }
  const double below = up(up(delta + reach_.excess) - infinity_mass_.lower * (1 - 4 * u));
  if (!is_shared && below > 0)
    result.lower = down(lower().enclose(below, lower().solve(below, start)).lower - error_below_);
  result.lower = std::clamp(result.lower, 0.0, std::max(0.0, reach_.epsilon));  // proof: closed-support
  return result;
}

// The parts of delta's width at an epsilon.
void ContourComposition::spend(double epsilon, const Ends& at, Answer& result) const {
  const Interval there = delta(epsilon, at);
  result.truncation = at.high.tail + at.low.tail;
  result.wraparound = at.low.alias;
  result.rounding = at.high.rounding + at.low.rounding;
  if (plan_.smoothing > 0)
    result.discretization =
        std::max(0.0, there.upper - there.lower - result.truncation - result.wraparound - result.rounding);
}

Answer ContourComposition::unanswered() const {
  Answer result = enclosed({0, infinity}, plan_.smoothing > 0 ? "discretized_contour" : "contour_integral");
  result.interval = interval_;
  result.size = plan_.contour.count;
  result.tilt = plan_.contour.tilt;
  result.cost = plan_.cost;
  return result;
}

Answer ContourComposition::answer(Quantity quantity, double at, double near) const {
  Answer result = unanswered();
  if (quantity == Quantity::epsilon && is_complement()) return result;
  if (quantity == Quantity::delta) {
    const Ends there = ends(at);
    const Interval found = delta(at, there);
    result.lower = found.lower, result.upper = found.upper;
    spend(at, there, result);
    return result;
  }
  Root root;
  const Interval found = epsilon(at, std::isnan(near) ? near_ : near, root);
  result.lower = found.lower, result.upper = found.upper;
  if (has_one_sum()) {
    spend(root.epsilon, {root.at, root.at}, result);
  } else if (std::isfinite(found.upper)) {
    spend(found.upper, ends(found.upper), result);
    const auto delta_at = [&](double x) { return upper_.delta(x).value + infinity_mass_.upper; };
    describe(delta_at, interval_, found.upper, result);
  }
  return result;
}

void ContourComposition::deltas(std::span<const double> epsilons, std::span<Answer> answers) const {
  if (!has_one_sum()) return Evaluator::deltas(epsilons, answers);
  std::fill(answers.begin(), answers.end(), unanswered());
  std::array<ContourDelta, 64> found;
  for (std::size_t first = 0; first < epsilons.size(); first += found.size()) {
    const std::size_t count = std::min(found.size(), epsilons.size() - first);
    upper_.deltas(epsilons.subspan(first, count), found);
    for (std::size_t k = 0; k < count; ++k) {
      const Ends both{found[k], found[k]};
      Answer& answer = answers[first + k];
      const Interval bounds = delta(epsilons[first + k], both);
      answer.lower = bounds.lower, answer.upper = bounds.upper;
      spend(epsilons[first + k], both, answer);
    }
  }
}

std::shared_ptr<const Evaluator> ContourComposition::sibling(const Direction& terms) const {
  return moments_ ? of(terms, plan_, near_) : nullptr;
}

std::shared_ptr<const Evaluator> ContourComposition::grown(const Direction& more) const try {
  if (!moments_) return nullptr;
  Moments all = *moments_;
  const LineOf line_of = made_in_turn(more, needs_of(more, plan_));
  all.product.multiply(more, [&](std::size_t j) -> const MgfLine& {
    const MgfLine& line = line_of(j);
    all.rest.add(line, static_cast<double>(more[j].count));
    return line;
  });
  return std::shared_ptr<const Evaluator>(new ContourComposition(std::move(all), plan_, near_));
} catch (const NoLine&) {
  return nullptr;
}

// Uses Chernoff's inequality if samples or terms are many, else a sum of few samples.
bool ContourComposition::shows_at_most(const Direction& terms, double epsilon, double delta) const try {
  if (!(delta > 0) || !moments_ || is_complement()) return false;
  const bool has_many = static_cast<double>(terms.size()) >= tuning::many;
  if (static_cast<double>(plan_.contour.count) < tuning::many && !has_many) return is_at_most(terms, epsilon, delta);
  const double tilt = has_many ? likely_tilt(terms, epsilon, delta) : 2 * plan_.contour.tilt;
  if (!(tilt > 0)) return false;
  const double higher = has_many ? tilt : 2 * tilt;  // the least delta has the highest saddle point
  ChernoffBound low(tilt), high(higher);
  const LineOf line_of = made_in_turn(terms, {tilt, tilt, higher, 0, 20});
  for (std::size_t j = 0; j < terms.size(); ++j) {
    checkpoint_each<16>(j);
    const MgfLine& line = line_of(j);
    if (const Uncounted rest = line.uncounted(); rest.infinity_mass.upper > 0 || rest.loss_error > 0) return false;
    low.add(line, terms[j].count);
    if (higher > tilt) high.add(line, terms[j].count);
  }
  const double least =
      higher > tilt ? std::min(low.log_delta(epsilon), high.log_delta(epsilon)) : low.log_delta(epsilon);
  return least <= math::log(delta) - 1e-12;
} catch (const NoLine&) {
  return false;
}

// Whether a sum of few samples shows the inequality. Aliases only raise an upper bound, so half the period suffices and
// they need no bound.
bool ContourComposition::is_at_most(const Direction& terms, double epsilon, double delta) const {
  ContourPlan few = plan_;
  few.contour.lower = few.contour.higher = few.contour.tilt;
  few.contour.period /= 2;
  few.contour.count = std::max<std::size_t>(3, (3 * few.contour.count + 7) / 8);
  few.needs.lowest = few.needs.highest = few.contour.tilt;
  few.needs.frequency = 2 * std::numbers::pi / few.contour.period * static_cast<double>(few.contour.count);
  few.needs.log_accuracy += std::min(0.0, plan_.log_fraction - math::log(tuning::contour_share));
  const ContourComposition sum(moments_of(terms, made_in_turn(terms, few.needs), few), few, near_);
  return sum.delta(epsilon, sum.ends(epsilon)).upper <= delta;  // proof: contour-aliases
}

}  // namespace hockeystick
