// SPDX-License-Identifier: Apache-2.0
#include "methods/one_large_loss.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "methods/method.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/budget.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/switches.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t n = ExponentialFit::parts;
constexpr double tiny = 1e-300;  // covers underflow

}  // namespace

OneLargeLoss::Step OneLargeLoss::step_of(const Term& term, std::span<const double> large, int fineness,
                                         double rare) const {
  std::vector<double> edges = small_losses(*term.pair, plan_.threshold, rare, fineness);
  const std::size_t first = edges.size() - 1;
  edges.insert(edges.end(), large.begin() + 1, large.end());
  const Held room(cost::moment_edge_bytes * static_cast<double>(edges.size()));
  const PairCells parts = term.pair->integrate(edges);
  CurveKnots knots = curve_knots(parts, first, large);
  const double grown = 1 + parts.mass_error + 8 * u;
  std::vector<double> mass;
  for (std::size_t i = first; i < parts.cells.size(); ++i)
    mass.push_back(parts.cells[i].p * grown + tiny);                          // proof: one-large-loss
  mass.push_back((parts.upper_tail_p + parts.infinity_mass) * grown + tiny);  // proof: one-large-loss
  const double finite = knots.delta.front() + knots.called.front(), off = 3 * knots.error.front();
  const double any = (finite + off + parts.infinity_mass) * (1 + 8 * u);  // proof: one-large-loss
  const double lowest = parts.lower_tail_p * grown + tiny;                // proof: one-large-loss
  // proof: one-large-loss
  const Interval outside{std::max(0.0, finite - off + parts.infinity_mass_lower + parts.lower_tail_p * (2 - grown)),
                         any + lowest};
  Step step{static_cast<double>(term.count),
            MiddleLosses(parts, std::span<const double>(edges).first(first + 1), outside),
            std::move(knots),
            std::move(mass),
            any,
            lowest,
            parts.loss_error,
            {}};
  for (std::size_t k = 0; k < n; ++k) step.log_moments[k] = step.small.log_moment(ExponentialFit::exponent(unit(), k));
  return step;
}

OneLargeLoss::OneLargeLoss(const Direction& direction, const LargeLossPlan& plan, double tolerance, int fineness,
                           double rare, StepCurve curve)
    : plan_(plan), curve_(curve) {
  const std::vector<double> large = large_losses(plan, tolerance, curve == StepCurve::tail);
  for (const Term& term : direction) {
    checkpoint();
    steps_.push_back(step_of(term, large, fineness, rare));
    const Step& step = steps_.back();
    const double listed = 1 - step.any - step.lowest;
    log_spared_ += listed > 0 ? step.count * step.lowest / listed * (1 + 16 * u) : infinity;  // proof: one-large-loss
    loss_error_ += step.count * step.loss_error;                                              // proof: one-large-loss
  }
  log_spared_ *= 1 + u * static_cast<double>(direction.size());
  loss_error_ *= 1 + u * static_cast<double>(direction.size() + 4);
  tabulate();
}

// The tilts from the largest exponent on, and those below -1.
void OneLargeLoss::tabulate() {
  constexpr double largest = 690, useless = 1e4;  // exponents, and logarithms of moments
  const auto add = [&](ChernoffTable& table, double tilt) {
    double log_moment = 0;
    for (const Step& step : steps_)
      log_moment += step.count * std::max(0.0, step.small.log_moment(tilt, true).upper);  // proof: one-large-loss
    log_moment *= 1 + u * static_cast<double>(2 * steps_.size() + 8);
    if (log_moment < useless) table.add(tilt, log_moment);
    return log_moment < useless;
  };
  for (double tilt = ExponentialFit::exponent(unit(), n - 1); tilt * plan_.threshold < largest;
       tilt *= tuning::tilt_ratio)
    if (!add(above_, tilt)) break;
  const double least = std::max(1.0, 0.5 / (plan_.deviation + tiny));
  for (double tilt = least; tilt < 64 * least; tilt *= tuning::tilt_ratio)
    if (!add(below_, -tilt)) break;
}

double OneLargeLoss::none() const {
  const double needed = down(plan_.epsilon - loss_error_);
  return std::min(1.0, above_.at(needed) * math::exp(log_spared_) * (1 + 16 * u));  // proof: one-large-loss
}

// Upper bound of the expected number of large losses.
double OneLargeLoss::expected() const {
  double sum = 0;
  for (const Step& step : steps_) sum += step.count * step.any;
  return sum * (1 + u * static_cast<double>(steps_.size() + 8));
}

// Upper bound of the expected number of pairs of large losses, each of another step.
double OneLargeLoss::pairs() const {
  double sum = 0, before = 0;
  for (const Step& step : steps_) {
    const double here = step.count * step.any;
    sum += here * (before + (step.count - 1) * step.any / 2);  // proof: one-large-loss
    before += here;
  }
  return sum * (1 + u * static_cast<double>(2 * steps_.size() + 8));
}

// Upper bound of the expected number of such pairs whose sum is above epsilon - s.
double OneLargeLoss::two_within(double s) const {
  const std::vector<double>& loss = steps_.front().large.loss;
  const std::size_t size = loss.size();
  const double off = u * static_cast<double>(2 * size + 2 * steps_.size() + 16);
  std::vector<double> from(size + 1), own(size + 1);
  for (std::size_t i = size; i-- > 0; from[i] += from[i + 1])
    for (const Step& step : steps_) from[i] += step.count * step.mass[i];
  const double needed = (plan_.epsilon - s) * (1 - 8 * u) - 2 * loss_error_;  // proof: one-large-loss
  std::vector<std::size_t> other(size);  // the least loss that suffices beside each
  for (std::size_t i = 0; i < size; ++i) {
    const double rest = i + 1 < size ? down(needed - loss[i + 1]) : 0.0;
    const auto beyond = static_cast<std::size_t>(std::upper_bound(loss.begin(), loss.end(), rest) - loss.begin());
    other[i] = beyond > 0 ? beyond - 1 : 0;
  }
  double sum = 0;
  for (const Step& step : steps_) {
    for (std::size_t i = size; i-- > 0;) own[i] = own[i + 1] + step.mass[i];
    for (std::size_t i = 0; i < size; ++i) {
      const double others = from[other[i]] * (1 + off) - own[other[i]] * (1 - off);  // proof: one-large-loss
      sum += step.count * step.mass[i] * std::max(0.0, others);
    }
  }
  return sum / 2 * (1 + u * static_cast<double>(size * steps_.size() + 16));
}

double OneLargeLoss::more() const {
  const double two = pairs(), spared = math::exp(log_spared_), three = two * expected() / 3;
  double least = two;
  for (double s = 0.01 * plan_.epsilon; s < plan_.epsilon - plan_.threshold; s *= 1.6) {
    const double small = above_.at(s) * spared;
    least = std::min(least, two_within(s) + two * small);  // proof: one-large-loss
  }
  return std::min(1.0, (least + three) * (1 + 32 * u));  // proof: one-large-loss
}

double OneLargeLoss::apart(const Step& step, const ExponentialFit& fit, double epsilon, bool above) const {
  const CurveKnots& large = step.large;
  std::vector<double> apart;
  for (const ExponentialFit::Apart& at : fit.apart(large, epsilon)) apart.push_back(above ? at.above : at.below);
  const double most = fit.largest(up(epsilon - large.loss.front())),
               last = fit.largest(up(epsilon - large.loss.back()));
  const double end =
      (large.value(curve_, large.loss.size() - 1) + large.error.back() + large.infinite.upper) * (1 + 4 * u);
  const double right = above ? step.any + most : most, left = above ? end + last : last;  // proof: one-large-loss
  return average_apart(large.loss, apart, epsilon, plan_.centre, above_, below_, right * (1 + u), left * (1 + u));
}

// Of several fits that reach ever farther, the one that is closest on average.
ExponentialFit OneLargeLoss::best_fit(const Step& step) const {
  std::optional<ExponentialFit> best;
  double least = infinity;
  for (const double within : {0.02, 0.05, 0.1, 0.2, 0.4}) {
    const ExponentialFit fit(step.large, plan_.epsilon, plan_.centre, unit(), within * plan_.epsilon, curve_);
    const double found = apart(step, fit, plan_.epsilon, true) + apart(step, fit, plan_.epsilon, false);
    if (best && !(found < least)) continue;
    best = fit, least = found;
  }
  return *best;
}

// A bound, on the side of `above`, of the part of delta that a large loss of one step adds.
double OneLargeLoss::one(std::size_t step, const ExponentialFit& fit, double epsilon, bool above) const {
  double sum = 0, off = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double weight = fit.weights()[k];
    const bool is_upper = (weight > 0) == above;
    double log_moment = -ExponentialFit::exponent(unit(), k) * plan_.centre, size = std::fabs(log_moment) + 2;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto [lower, upper] = steps_[i].log_moments[k];
      const double part =
          (steps_[i].count - (i == step ? 1 : 0)) * (is_upper ? upper : lower);  // proof: one-large-loss
      log_moment += part, size += std::fabs(part);
    }
    const double term = weight * math::exp(log_moment);
    sum += term, off += std::fabs(term) * size * u * static_cast<double>(steps_.size() + 16);
  }
  off = (off + apart(steps_[step], fit, epsilon, above)) * (1 + 8 * u);  // proof: one-large-loss
  if (!above) return std::max(0.0, down(sum - off));
  return up(sum + off) * math::exp(log_spared_) * (1 + 16 * u);  // proof: one-large-loss
}

Interval OneLargeLoss::one() const {
  // A tail falls at once where an edge is off, or where an atom lies on it.
  const double off_by = curve_ == StepCurve::tail ? 3 * loss_error_ : loss_error_;  // proof: one-large-loss
  const double before = down(plan_.epsilon - off_by), after = up(plan_.epsilon + off_by);
  Interval sum{0, 0};
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const ExponentialFit fit = best_fit(steps_[i]);
    sum.lower += steps_[i].count * one(i, fit, after, false);  // proof: one-large-loss
    sum.upper += steps_[i].count * one(i, fit, before, true);  // proof: one-large-loss
  }
  const double off = u * static_cast<double>(2 * steps_.size() + 8);
  return {sum.lower * (1 - off), sum.upper * (1 + off)};
}

Interval OneLargeLoss::all() const {
  const auto [lower, upper] = one();
  const double all = (upper + none() + more()) * (1 + 8 * u) + tiny;  // proof: one-large-loss
  return {lower, all < 1 ? all : 1.0};
}

namespace {

// `plan` is the plan that is aimed at the terms.
OneLargeLoss split_of(const Direction& terms, const LargeLossPlan& plan, double tolerance, StepCurve curve) {
  double steps = 0;
  for (const Term& term : terms) steps += static_cast<double>(term.count);
  return {terms, plan, tolerance, small_fineness(plan, tolerance), 1e-3 * tolerance / steps, curve};
}

}  // namespace

Interval tail_by_large_losses(const Direction& direction, const Saddlepoint& saddlepoint, double epsilon,
                              double tolerance) {
  const std::optional<LargeLossPlan> plan = plan_large_loss(saddlepoint, epsilon, tolerance);
  if (!plan || !(plan->missed < tuning::missed_share * tolerance) || is_off("one_large_loss")) return {0, 1};
  Interval found{0, 1};
  for (const double part : {0.5, 0.1}) {
    if (found.upper - found.lower <= tolerance * found.upper) break;
    const LargeLossPlan aim = aimed(*plan, direction);
    if (!WorkLimit::take(large_loss_cost(aim, direction.size(), part * tolerance, true))) break;
    found = both(found, split_of(direction, aim, part * tolerance, StepCurve::tail).all());
  }
  return found;
}

namespace {

// The bounds at any epsilon, each with a plan of its own.
class ByNumberOfLargeLosses final : public Evaluator {
 public:
  ByNumberOfLargeLosses(const Direction& terms, Saddlepoint saddlepoint, double tolerance)
      : terms_(terms), saddlepoint_(std::move(saddlepoint)), tolerance_(tolerance) {}

  Answer answer(Quantity quantity, double at, double near) const override {
    if (quantity == Quantity::epsilon) return epsilon_of(at, near);
    const std::optional<LargeLossPlan> found = plan_large_loss(saddlepoint_, at, tolerance_);
    return found ? delta_of(aimed(*found, terms_), tolerance_) : enclosed({0, 1}, "one_large_loss");
  }

 private:
  Answer delta_of(const LargeLossPlan& plan, double tolerance) const {
    const OneLargeLoss split = split_of(terms_, plan, tolerance, StepCurve::delta);
    Answer result = enclosed(split.all(), "one_large_loss");
    result.truncation = split.none() + split.more();
    result.discretization = std::max(0.0, result.upper - result.lower - result.truncation);
    return result;
  }

  // Newton's method leads to the epsilon between points whose delta is known to be above the given one and points whose
  // delta is not; a point on either side of that epsilon closes the interval.
  Answer epsilon_of(double delta, double near) const {
    constexpr int most_points = 8;
    constexpr double aside = 0.4;  // of the tolerance
    Interval ends{0, infinity};
    double at = near > 0 ? near : large_loss_epsilon(saddlepoint_, delta).value_or(0);
    for (int i = 0; i < most_points && !is_tight(ends.lower, ends.upper, tolerance_, false); ++i) {
      const std::optional<LargeLossPlan> found = plan_large_loss(saddlepoint_, at, tolerance_);
      if (!found) break;
      const LargeLossPlan plan = aimed(*found, terms_);
      const double wanted = std::clamp(aside / 2 * plan.rate * at * tolerance_, 1e-6, 0.1);
      const Answer here = delta_of(plan, wanted);
      if (here.upper <= delta) ends.upper = std::min(ends.upper, at);  // proof: one-large-loss
      if (here.lower > delta) ends.lower = std::max(ends.lower, at);   // proof: one-large-loss
      if (here.truncation > wanted * here.upper) break;                // no closer point narrows the interval
      const double root = at + math::log((here.lower / 2 + here.upper / 2) / delta) / plan.rate;
      at = root * (1 + (ends.upper <= root * (1 + tolerance_) ? -aside : aside) * tolerance_);
      if (!(at > ends.lower && at < ends.upper)) at = ends.lower / 2 + std::min(ends.upper, 2 * ends.lower + 1) / 2;
    }
    Answer result = enclosed(ends, "one_large_loss");
    result.discretization = ends.upper - ends.lower;
    return result;
  }

  Direction terms_;
  Saddlepoint saddlepoint_;
  double tolerance_;
};

class ByOneLargeLoss final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (is_done_) return {.obstacle = "one large loss tells less than is asked"};
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    const bool wants_epsilon = task_.question.wants_epsilon();
    if (wants_epsilon && task_.answer.passes == 0 && !task_.is_named()) return {.obstacle = "others come first"};
    const Saddlepoint& saddlepoint = task_.grid().place().whole();
    const double at = task_.question.at;
    const std::optional<double> epsilon = wants_epsilon ? large_loss_epsilon(saddlepoint, at) : at;
    const std::optional<LargeLossPlan> plan =
        epsilon ? plan_large_loss(saddlepoint, *epsilon, finer_ * asked_) : std::nullopt;
    if (!plan) return {.obstacle = "more than one large loss decides, or none"};
    if (!wants_epsilon) asked_ = std::min(0.5, task_.question.tolerance_at(plan->delta));
    const double points = wants_epsilon ? 4 : 1, steepness = wants_epsilon ? std::max(plan->rate * *epsilon, 1e-3) : 1;
    return {.cost = points * large_loss_cost(*plan, task_.terms().size(), finer_ * asked_ * steepness),
            .width = plan->missed / (tuning::missed_share * asked_ * steepness)};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    return std::make_shared<ByNumberOfLargeLosses>(task_.terms(), task_.grid().place().whole(), finer_ * asked_);
  }

  // The next attempt refines the curve and the cells, if their errors make the answer too wide. The curve of atoms
  // bends at each of them, and does not come closer.
  void learn(const Answer& found) override {
    const double wanted = asked_ * found.upper;
    is_done_ = !std::isfinite(wanted) || finer_ < 0.05 || found.truncation > 0.5 * wanted ||
               std::any_of(task_.terms().begin(), task_.terms().end(),
                           [](const Term& term) { return term.pair->finite_law().has_value(); });
    finer_ *= std::clamp(0.25 * wanted / found.discretization, 1e-3, 0.25);
  }

 private:
  double asked_ = task_.question.tolerance;  // by the forecast of delta
  double finer_ = 1;
};

}  // namespace

std::unique_ptr<Method> one_large_loss(Task& task) { return std::make_unique<ByOneLargeLoss>(task); }

}  // namespace hockeystick
