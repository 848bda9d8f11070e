// SPDX-License-Identifier: Apache-2.0
// With b_j the largest finite loss of step j, delta(eps) is the mass at +inf from eps = sum n_j b_j on. All steps have
// losses of at least e_j with probability P = product of P(L_j >= e_j)^n_j, so that delta(eps) >= P (1 - e^(eps - E)),
// E = sum n_j e_j: more than delta below E + log(1 - delta / P). At eps = sum n_j b_j - g only outcomes count of which
// every step loses b_j - g at least, so that delta(eps) <= product of P(L_j >= b_j - g)^n_j (1 - e^-g).
//
// With t the mass at +inf, P is at most t + e^B Q for B = sum n_j b_j: so the power at a false positive rate x is at
// most t + e^B x. A test that calls all infinite losses and a part of the outcomes where all steps have finite losses
// of e_j at least, of which P is at least e^E Q, has a power of t + e^E x, or of t and all of their probability.
#include "methods/trivial_bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>

#include "methods/largest_loss.hpp"
#include "methods/method.hpp"
#include "methods/single_step.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

namespace {

constexpr double least_mass = 1e-290;  // errors by underflow are negligible relative to this

// Upper bound of P(from <= L < inf), including outcomes that no cell lists.
double finite_tail_above(const DominatingPair& pair, double from) {
  double shift = 0;
  for (int i = 0; i < 12; ++i) {
    const PairCells cells = pair.integrate(std::array{down(from - shift)});
    if (cells.loss_error > shift) {
      shift = 2 * cells.loss_error;
      continue;
    }
    const double unlisted = up(cells.infinity_mass - pair.infinity_mass().lower);
    return std::min(1.0, (cells.upper_tail_p * (1 + cells.mass_error) + unlisted) * (1 + 4 * u) + 1e-300);
  }
  return 1;
}

// The event that every step has a finite loss of at least its edge. The losses then add up to at least `near`.
struct NearLargest {
  double near = 0, losses = 0;             // sum of the edges, and of their absolute values
  double log_finite = 0, log_reached = 0;  // log of its probability, and of the same with infinite losses
  double rounding = 0, steps = 0;          // relative rounding of sums; number of steps

  // proof: largest-loss-power
  double log_finite_below() const { return log_finite - rounding * (std::fabs(log_finite) + steps); }
  double log_reached_below() const { return log_reached - rounding * (std::fabs(log_reached) + steps); }
  double near_below() const { return near - rounding * losses; }  // proof: largest-loss-power
};

// The edge of a step lies `depth` of its largest finite loss below that loss.
template <class Depth>
NearLargest near_largest(const Direction& direction, Depth&& depth) {
  NearLargest result;
  result.rounding = 8 * u * static_cast<double>(direction.size() + 2);
  for (std::size_t j = 0; j < direction.size(); ++j) {
    checkpoint_each<16>(j);
    const auto count = static_cast<double>(direction[j].count);
    const double most = direction[j].pair->finite_loss_bound(), edge = most - depth(most);
    const PairCells cells = direction[j].pair->integrate(std::array{edge});
    const double finite = cells.upper_tail_p * (1 - cells.mass_error - 2 * u);
    const double reached = finite + cells.infinity_mass_lower;
    result.near += count * (edge - cells.loss_error);
    result.losses += count * (std::fabs(most) + std::fabs(edge) + cells.loss_error);
    result.log_finite += finite > least_mass ? count * math::log(finite) : -infinity;
    result.log_reached += reached > least_mass ? count * math::log(reached) : -infinity;
    result.steps += count;
  }
  return result;
}

}  // namespace

Interval epsilon_by_largest_losses(const Direction& direction, double delta, double tolerance) {
  const double largest = largest_finite_loss(direction);
  if (!std::isfinite(largest)) return {0, infinity};
  const NearLargest all = near_largest(direction, [&](double most) { return 0.25 * tolerance * std::fabs(most); });
  Interval result{0, infinity};
  if (infinity_mass(direction).is_at_most(delta)) result.upper = std::max(0.0, largest);  // proof: largest-losses
  const double log_delta = math::log(delta);
  const double log_share = log_delta - all.log_reached_below() + 8 * u * std::fabs(log_delta);
  if (log_share < -1)  // proof: largest-losses
    result.lower = std::max(0.0, all.near_below() + math::log1p(-math::exp(log_share) * (1 + 8 * u)) * (1 + 8 * u));
  return result;
}

LargestLossPower::LargestLossPower(const Direction& direction, double tolerance)
    : infinite_{0, 1}, largest_(largest_finite_loss(direction)) {
  if (!std::isfinite(largest_)) return;
  const UnionProbability infinite = infinity_mass(direction);
  infinite_ = {infinite.lower(), infinite.upper()};
  double steps = 0;
  for (const Term& term : direction) steps += static_cast<double>(term.count);
  // At depth 0 the largest losses alone, if they are atoms; else losses near them.
  for (const double depth : {0.0, 0.25 * tolerance / steps}) {
    const NearLargest all = near_largest(direction, [&](double most) { return depth + 1e-13 * std::fabs(most); });
    near_.push_back({all.near_below(), math::exp(all.log_finite_below()) * (1 - 8 * u)});
  }
}

Interval LargestLossPower::at(double fpr) const {
  if (!std::isfinite(largest_)) return {0, 1};
  // e^loss fpr, also if a factor is outside the range of doubles.
  const auto likelier = [&](double loss, double sign) {
    if (std::fabs(loss) < 700) return math::exp(loss) * (1 + sign * 8 * u) * fpr + sign * smallest_subnormal;
    const double log_fpr = math::log(fpr), sum = loss + log_fpr;
    return math::exp(std::min(0.0, sum + sign * 8 * u * (std::fabs(loss) + std::fabs(log_fpr)))) * (1 + sign * 8 * u);
  };
  double below = 0;
  // proof: largest-loss-power
  for (const auto& [loss, probability] : near_) below = std::max(below, std::min(probability, likelier(loss, -1)));
  const double above = infinite_.upper + likelier(largest_, 1);  // proof: largest-loss-power
  return {(infinite_.lower + below) * (1 - 4 * u), std::min(1.0, above * (1 + 4 * u))};
}

UnionProbability infinity_mass(const Direction& direction) {
  UnionProbability infinite;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    checkpoint_each<16>(j);
    const auto [lower, upper] = direction[j].pair->infinity_mass();
    infinite.add(lower, upper, static_cast<double>(direction[j].count));
  }
  return infinite;
}

// Couple the steps one by one: all of them are equal with the product of the probabilities that each is. 1e-307 covers
// underflow.
double total_variation(const Direction& direction) {
  double log_equal = 0;
  for (const Term& term : direction)
    log_equal += static_cast<double>(term.count) * math::log1p(-std::min(1.0, term.pair->total_variation_bound()));
  const double error = 1e-12 * static_cast<double>(direction.size());
  return std::min(1.0, -math::expm1(log_equal) * (1 + error) + 1e-307);  // proof: total-variation
}

std::optional<Answer> delta_next_to_largest_loss(const Direction& direction, double epsilon, double tolerance) {
  const auto [least, room] = left_to_largest(direction, epsilon);
  const double rounding = largest_loss_rounding * (1 + epsilon);
  if (!(room <= std::max(rounding, 64 * u * std::fabs(epsilon) / tolerance))) return std::nullopt;
  const UnionProbability infinite = infinity_mass(direction);
  double log_upper = 0, log_lower = 0, lost = 0;
  for (std::size_t j = 0; j < direction.size() && room > 0; ++j) {
    checkpoint_each<16>(j);
    const DominatingPair& pair = *direction[j].pair;
    const auto count = static_cast<double>(direction[j].count);
    const double most = pair.finite_loss_bound();
    log_upper = up(log_upper + count * math::log(finite_tail_above(pair, down(most - room))) * (1 - 8 * u));
    const PairCells cells = pair.integrate(std::array{most});
    const double reached = cells.upper_tail_p * (1 - cells.mass_error - 2 * u);
    log_lower = down(log_lower + (reached > least_mass ? count * math::log(reached) * (1 + 8 * u) : -infinity));
    lost = up(lost + up(count * cells.loss_error));
  }
  const double kept = down(least - lost);  // proof: next-to-largest-loss
  // proof: next-to-largest-loss
  const double finite_upper = room > 0 ? math::exp(log_upper) * -math::expm1(-room) * (1 + 16 * u) + 1e-307 : 0.0;
  // proof: next-to-largest-loss
  const double finite_lower = kept > 0 ? math::exp(log_lower) * -math::expm1(-kept) * (1 - 16 * u) - 1e-307 : 0.0;
  Answer answer;
  answer.lower = std::max(infinite.lower(), (infinite.lower() + finite_lower) * (1 - 2 * u));
  answer.upper = std::min(1.0, room > 0 ? (infinite.upper() + finite_upper) * (1 + 2 * u) : infinite.upper());
  answer.converged = is_tight(answer.lower, answer.upper, tolerance, true) ||
                     (room <= rounding && answer.upper - answer.lower <= rounding);
  if (!answer.converged) answer.limited_by = "rounding";
  answer.rounding = answer.upper - answer.lower;
  return answer;
}

namespace {

// The losses by which delta is bounded: the largest ones of the run, or those of the reverse run, minus the least of
// the run.
enum class Largest { own, reverse };

// The losses by which delta is bounded, at most, of one step and of all.
struct Capped {
  Largest largest;
  double sum = 0, sizes = 0, steps = 0;  // of the losses, and of their absolute values; number of steps

  bool is_own() const { return largest == Largest::own; }
  double of(const DominatingPair& pair) const { return is_own() ? pair.finite_loss_bound() : -pair.loss_infimum(); }
};

// Nothing unless the outputs of most steps show that the step loses next to nothing, or much.
std::optional<Capped> capped(const Direction& direction, Largest largest) {
  Capped caps{largest};
  double hidden = 0;
  for (const Term& term : direction) {
    const double count = static_cast<double>(term.count), most = caps.of(*term.pair);
    if (!std::isfinite(most)) return std::nullopt;
    caps.sum += count * most, caps.sizes += count * std::fabs(most), caps.steps += count;
    hidden += count * (most + math::log1p(-std::min(1.0, term.pair->total_variation_bound())));
  }
  return hidden <= 0.1 * caps.sum ? std::optional(caps) : std::nullopt;
}

// Encloses log(1 - delta(epsilon)); [-inf, 0] from the sum of the largest losses on.
Interval log_spared(const Direction& direction, const Capped& caps, double epsilon) {
  const bool is_own = caps.is_own();
  const double left = is_own ? caps.sum - epsilon : caps.sum + epsilon, sizes = caps.sizes + std::fabs(epsilon);
  if (!(left > 0)) return {-infinity, 0};
  const double rounding = 8 * u * static_cast<double>(direction.size() + 2);
  const double off = rounding * sizes + (is_own ? 0 : 1e-12 * (sizes + caps.steps));
  const double cap = left + off;  // proof: capped-likelihoods
  double added = 0, rounded = 0;  // logs of factors
  for (const Term& term : direction) {
    const double count = static_cast<double>(term.count), most = caps.of(*term.pair);
    const double at = is_own ? down(most - cap) : up(cap - most), from = is_own ? most - at : 0;
    // Where 1 - h(a) is next to nothing, the reverse's curve h' is the closer bound: 1 - h(a) = a (1 - h'(1 / a)).
    const double delta = single_step_delta(*term.pair, at).lower;
    const auto reverse = is_own && at < 0 && delta > 0.99 ? term.pair->reverse() : nullptr;
    const double log_rest = math::log1p(-(reverse ? single_step_delta(*reverse, -at).lower : delta));
    const double factor = is_own ? std::max(0.0, (reverse ? most : from) + log_rest) : log_rest;
    added += count * factor;                                                              // proof: capped-likelihoods
    rounded += rounding * count * (from + is_own * std::fabs(at) + std::fabs(log_rest));  // proof: capped-likelihoods
  }
  if (!is_own) return {-infinity, std::min(0.0, added + rounded)};
  return {std::isfinite(largest_loss(direction)) ? -left - off : -infinity,
          std::min(0.0, off - left + added + rounded)};
}

// Encloses epsilon by these bounds: a fixed point of the part that likelier outcomes add, from below, and then a little
// beyond.
Interval epsilon_by_capped_likelihoods(const Direction& direction, double delta) {
  const double rest = math::log1p(-delta);
  Interval found{0, std::max(0.0, up(largest_loss(direction) + rest * (1 - 8 * u)))};  // proof: capped-likelihoods
  double epsilon = largest_finite_loss(direction) + rest;
  const std::optional<Capped> caps = epsilon > 0 ? capped(direction, Largest::own) : std::nullopt;
  for (int k = 0; caps && k < 16 && epsilon > 0 && std::isfinite(epsilon); ++k) {
    const double over = log_spared(direction, *caps, epsilon).upper - rest * (1 + 8 * u);
    if (over <= 0) return {epsilon, found.upper};  // proof: capped-likelihoods
    epsilon -= 1.001 * over + 1e-13 * epsilon;
  }
  return found;
}

class TrivialBounds final : public Evaluator {
 public:
  TrivialBounds(Direction terms, double tolerance)
      : terms_(std::move(terms)), tolerance_(tolerance), infinite_(infinity_mass(terms_)) {}

  Answer answer(Quantity quantity, double at, double) const override {
    Answer result = enclosed(quantity == Quantity::epsilon ? epsilon(at) : Interval{0, 1}, "trivial_bounds");
    if (is_pure(quantity, at)) result.limited_by = "rounding";
    if (quantity == Quantity::epsilon) return result;
    if (at >= largest_finite_loss(terms_)) {  // delta is the mass at +inf
      result.lower = infinite_.lower(), result.upper = infinite_.upper();
      result.limited_by = "rounding";
      return result;
    }
    result.lower = infinite_.lower(), result.upper = total_variation(terms_);  // delta decreases with epsilon
    if (const auto near = delta_next_to_largest_loss(terms_, at, tolerance_)) {
      result.lower = std::max(result.lower, near->lower), result.upper = std::min(result.upper, near->upper);
      result.converged = near->converged, result.limited_by = near->limited_by, result.rounding = near->rounding;
    }
    for (const Largest largest : {Largest::own, Largest::reverse}) {
      const std::optional<Capped> caps = capped(terms_, largest);
      if (!caps) continue;
      const Interval rest = log_spared(terms_, *caps, at);
      // proof: capped-likelihoods
      result.lower = std::max(result.lower, -math::expm1(rest.upper) * (1 - 8 * u));
      result.upper = std::min(result.upper, -math::expm1(rest.lower) * (1 + 8 * u));
    }
    return result;
  }

 private:
  Interval epsilon(double delta) const {
    if (delta == 0) return essential_supremum(terms_);
    if (infinite_.exceeds(delta)) return {infinity, infinity};
    if (delta >= total_variation(terms_)) return {0, 0};
    return both(epsilon_by_capped_likelihoods(terms_, delta), epsilon_by_largest_losses(terms_, delta, tolerance_));
  }

  Direction terms_;
  double tolerance_;
  UnionProbability infinite_;
};

class ByTrivialBounds final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (is_done_) return {.obstacle = "the question lies where they say little"};
    const Question& asked = task_.question;
    const bool is_largest_loss = is_pure(asked.quantity, asked.at);
    if (!is_largest_loss && task_.runs_once() && !task_.is_named() && task_.answer.limited_by.empty())
      return {.obstacle = "one step is integrated as it is"};
    return {.cost = 0, .width = is_largest_loss ? 0 : infinity};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<TrivialBounds>(task_.terms(), task_.question.tolerance);
  }

  void learn(const Answer& found) override {
    const Question& asked = task_.question;
    is_done_ = task_.is_bounded = true;
    if (is_pure(asked.quantity, asked.at)) task_.answer.limited_by = found.limited_by;
    const bool leaks = infinity_mass(task_.terms()).upper() > 0;
    task_.beyond_grids =
        found.limited_by == "rounding" && !(leaks && task_.question.at < largest_finite_loss(task_.terms()));
    if (task_.beyond_grids) task_.answer.limited_by = "rounding";
  }
};

}  // namespace

std::unique_ptr<Method> trivial_bounds(Task& task) { return std::make_unique<ByTrivialBounds>(task); }

}  // namespace hockeystick
