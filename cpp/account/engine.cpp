// SPDX-License-Identifier: Apache-2.0
#include "account/engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "account/alignment.hpp"
#include "account/contour.hpp"
#include "account/merge.hpp"
#include "account/one_step.hpp"
#include "account/pass.hpp"
#include "account/step_contour.hpp"
#include "numeric/checkpoint.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr int most_passes = 8;
constexpr int most_contour_passes = 6;

// What a contour of moments takes at most, a term: a few arrays of nodes and samples.
constexpr std::size_t contour_bytes = 1 << 20;

// Transforms of at least this length give way to contour sums where these do.
constexpr std::size_t longest_preferred = 1 << 17;

// A delta below this is certified to be so, not to a relative tolerance: doubles end at 1e-308.
constexpr double smallest_delta = 1e-300;

// One direction of one question. `wants_epsilon`: value is a delta and the answer an epsilon.
class Solver {
 public:
  Solver(const Direction& direction, bool wants_epsilon, double value, const Limits& limits)
      : direction_(direction),
        whole_(direction),
        pilot_(whole_),
        wants_epsilon_(wants_epsilon),
        value_(value),
        limits_(limits),
        at_{} {
    double log_finite = 0;
    for (const Term& term : direction)
      log_finite += static_cast<double>(term.count) * std::log1p(-std::min(term.pair->infinity_mass(), 1.0));
    infinity_mass_ = -std::expm1(log_finite);
    double log_delta = wants_epsilon ? std::log(value) : pilot_.saddle_for_epsilon(value).log_delta;
    forecast_from(log_delta);
    // Without the rare huge losses delta at an epsilon may be far less than with them.
    for (int i = 0; i < 4 && !wants_epsilon && at_.log_delta < log_delta - 1; ++i)
      forecast_from(log_delta = at_.log_delta);
    answer_.lower = 0;
    answer_.upper = wants_epsilon ? std::numeric_limits<double>::infinity() : 1.0;
    zero_forecast_ = wants_epsilon && at_.epsilon <= 0;
    if (zero_forecast_) at_ = pilot_.saddle_for_epsilon(0);
    for (const Term& term : direction) {
      const auto count = static_cast<double>(term.count);
      const bool bounded = std::isfinite(term.pair->loss_supremum());
      supremum_ += bounded ? count * term.pair->finite_loss_bound() : std::numeric_limits<double>::infinity();
      total_variation_ += count * (1 + 1e-12) * term.pair->total_variation_bound();  // subadditive
    }
    supremum_ *= 1 + 4 * unit_roundoff * static_cast<double>(direction.size() + 1);
  }

  double forecast() const { return wants_epsilon_ ? at_.epsilon : at_.log_delta; }
  const Pilot& pilot() const { return pilot_; }

  /// No loss exceeds this, so that delta is 0 from here on.
  double supremum() const { return supremum_; }

  Answer solve() {
    if (infinity_mass_ >= 1) return nothing_private();
    if (!wants_epsilon_ && value_ >= supremum_) return Answer{};
    if (wants_epsilon_ && value_ >= total_variation_) return Answer{};
    if (!wants_epsilon_ && is_next_to_supremum()) return almost_none();
    if (!wants_epsilon_ && at_.log_delta < std::log(smallest_delta)) {
      answer_.upper = chernoff_delta(direction_, pilot_, value_);
      if (answer_.upper <= smallest_delta) return answer_;
      answer_.upper = std::min(1.0, answer_.upper);
    }
    log_tolerance_ = wanted_log_tolerance();
    double interval = forecast_interval(pilot_, at_, log_tolerance_);
    if (const double loose = align(direction_, pilot_, {std::max(0.0, at_.tilt), interval, 0, false}).loose;
        loose > 0) {
      const double slope = at_.regular ? at_.slope : at_.tilt + 1 / std::max(at_.epsilon, at_.deviation);
      interval = std::min(interval, 0.5 * log_tolerance_ / (slope * loose));
    }
    double cut = std::min(1e-3, log_tolerance_ * 1e-3);
    answer_.met = false;
    double previous = std::numeric_limits<double>::infinity();
    for (answer_.passes = 1; answer_.passes <= most_passes; ++answer_.passes) {
      Plan plan = make_plan(direction_, pilot_, {at_, log_tolerance_, interval, cut});
      if (!take_contour(plan)) {
        plan = affordable_plan(interval, cut);
        if (plan.bytes > static_cast<double>(limits_.memory_limit)) break;
        take(run_pass(direction_, plan), plan);
      }
      answer_.met = is_met();
      if (answer_.met || !answer_.obstacle.empty()) break;
      const double delta = wants_epsilon_ ? value_ : answer_.upper;
      const double lost = answer_.truncation + answer_.wraparound;
      const double width = lost + answer_.rounding + answer_.discretization;
      if (answer_.rounding > 0.5 * log_tolerance_ * delta && answer_.rounding > 0.3 * width) {
        answer_.obstacle = "rounding";
        break;
      }
      const double gap = answer_.upper - answer_.lower;
      if (answer_.passes >= 5 && !(gap < 0.8 * previous)) break;
      previous = gap;
      if (lost > 0.1 * log_tolerance_ * delta) {
        cut *= 1e-3;
        if (!wants_epsilon_ && answer_.lower > 0) forecast_from(std::log(answer_.lower));
      }
      // If truncation took most of the width, the interval has hardly been tried yet.
      const bool tried = lost <= 0.3 * width;
      // Atoms off the grid cost an error of first order in the interval, the rest is of second order.
      const double wanted = plan.loose > 0 ? 0.7 / excess_gap() : std::sqrt(0.7 / excess_gap());
      interval = plan.interval * (tried ? std::clamp(wanted, 0.02, 0.8) : 0.25);
    }
    if (!answer_.met && answer_.obstacle.empty()) answer_.obstacle = "passes";
    return answer_;
  }

 private:
  // The pilot forgets what truncation may cut at a delta of about e^log_delta.
  void forecast_from(double log_delta) {
    pilot_ = whole_;
    pilot_.truncate(log_delta + std::log(1e-4 * limits_.tolerance));
    if (wants_epsilon_) {
      at_ = pilot_.saddle_for_delta(std::max(value_ - infinity_mass_, 1e-3 * value_));
      return;
    }
    at_ = pilot_.saddle_for_epsilon(value_);
    at_.log_delta = std::log(std::exp(at_.log_delta) + infinity_mass_);
  }

  // Some outcome tells all, for certain.
  Answer nothing_private() const {
    Answer answer;
    answer.lower = answer.upper = wants_epsilon_ ? std::numeric_limits<double>::infinity() : 1.0;
    return answer;
  }

  // So close below the largest loss that rounding decides how much of delta is left.
  bool is_next_to_supremum() const {
    const double location = 64 * unit_roundoff * supremum_;
    return std::isfinite(supremum_) && supremum_ - value_ <= location / limits_.tolerance;
  }

  Answer almost_none() const {
    Answer answer;
    answer.lower = 0;
    answer.upper = -std::expm1(value_ - supremum_) * (1 + 8 * unit_roundoff);
    answer.met = false;
    answer.obstacle = "rounding";
    return answer;
  }

  // The relative width of delta that meets the tolerance on the answer.
  double wanted_log_tolerance() const {
    if (!wants_epsilon_) {  // what is at +inf needs no grid
      const double finite = std::max(1 - infinity_mass_ / std::exp(at_.log_delta), 1e-9);
      return std::min(0.5, limits_.tolerance / finite);
    }
    if (zero_forecast_)  // the answer is 0 if delta(0) is enclosed this well
      return std::clamp(0.3 * (std::log(value_) - at_.log_delta), 1e-6, 0.5);
    const double slope = at_.regular ? at_.slope : at_.tilt + 1 / at_.epsilon;
    return std::clamp(slope * limits_.tolerance * at_.epsilon, 1e-13, 0.5);
  }

  bool is_met() const {
    if (!std::isfinite(answer_.upper)) return answer_.lower == answer_.upper;
    return answer_.upper - answer_.lower <= limits_.tolerance * answer_.upper ||
           (!wants_epsilon_ && answer_.upper <= smallest_delta);
  }

  double excess_gap() const {
    const double allowed = limits_.tolerance * answer_.upper;
    const double gap = answer_.upper - answer_.lower;
    return std::isfinite(gap) && allowed > 0 ? std::max(1.1, gap / allowed) : 16.0;
  }

  // The plan, with the interval widened until it fits the memory limit.
  Plan affordable_plan(double interval, double cut) {
    Plan plan = make_plan(direction_, pilot_, {at_, log_tolerance_, interval, cut});
    const auto limit = static_cast<double>(limits_.memory_limit);
    if (plan.bytes <= limit) return plan;
    answer_.obstacle = "memory_limit";
    answer_.required_bytes = static_cast<std::size_t>(std::min(plan.bytes, 9e18));
    while (plan.bytes > limit && interval < std::max(at_.deviation, at_.epsilon)) {
      interval *= std::max(1.25, std::min(plan.bytes / limit, 1e6));
      plan = make_plan(direction_, pilot_, {at_, log_tolerance_, interval, cut});
    }
    return plan;
  }

  // The steps by contour sums, where the transform would be long; false if that does not do.
  bool take_contour(const Plan& plan) {
    if (limits_.method == Method::transform || !(at_.tilt > 0)) return false;
    if (plan.fft_size != 0 && plan.fft_size < longest_preferred) return false;
    if (contour_passes_ == most_contour_passes || plan.step_bytes > static_cast<double>(limits_.memory_limit))
      return false;
    const StepContour contour(direction_, pilot_, plan, at_, log_tolerance_ * smoothing_);
    ++contour_passes_;
    if (!contour.is_affordable()) return false;
    const CertifiedInterval found = wants_epsilon_ ? contour.epsilon(value_, at_.epsilon) : contour.delta(value_);
    if (!(found.lower > 0) || !std::isfinite(found.upper)) return false;
    answer_.lower = std::max(answer_.lower, found.lower);
    answer_.upper = std::min(answer_.upper, found.upper);
    const double epsilon = wants_epsilon_ ? answer_.upper : value_;
    const ContourDelta lost = contour.losses(epsilon);
    const CertifiedInterval there = contour.delta(epsilon);
    answer_.truncation = lost.tail;
    answer_.wraparound = lost.alias;
    answer_.rounding = lost.rounding;
    answer_.discretization = std::max(0.0, there.upper - there.lower - lost.tail - lost.alias - lost.rounding);
    answer_.interval = plan.interval;
    answer_.size = contour.contour().count;
    answer_.tilt = contour.contour().tilt;
    answer_.method = "contour of steps";
    smoothing_ *= std::clamp(0.7 / excess_gap(), 0.3, 0.8);
    return true;
  }

  void take(const Pass& pass, const Plan& plan) {
    double lower, upper, epsilon;
    if (wants_epsilon_) {
      upper = epsilon = certified_epsilon(pass.upper, value_);
      lower = certified_epsilon(pass.lower, value_);
      if (!std::isfinite(epsilon)) epsilon = std::isfinite(lower) ? lower : 0;
    } else {
      epsilon = value_;
      upper = certified_delta(pass.upper, epsilon).value;
      lower = certified_delta(pass.lower, epsilon).value;
    }
    answer_.lower = std::max(answer_.lower, lower);
    answer_.upper = std::min(answer_.upper, upper);
    const CertifiedDelta high = certified_delta(pass.upper, epsilon);
    const CertifiedDelta low = certified_delta(pass.lower, epsilon);
    answer_.truncation = std::max(0.0, high.truncation - pass.lower.infinity_mass);
    answer_.wraparound = low.wraparound;
    answer_.rounding =
        high.rounding + low.rounding + (pass.upper.loss_error + pass.lower.loss_error) * at_.slope * high.value;
    answer_.discretization =
        std::max(0.0, high.value - low.value - answer_.truncation - answer_.wraparound - answer_.rounding);
    answer_.interval = plan.interval;
    answer_.size = plan.fft_size;
    answer_.tilt = plan.tilt;
    answer_.method = "transform";
  }

  const Direction& direction_;
  Pilot whole_, pilot_;  // of all losses, and of those that truncation leaves
  bool wants_epsilon_;
  double value_;
  Limits limits_;
  Saddle at_;
  double log_tolerance_ = 0;
  bool zero_forecast_ = false;
  int contour_passes_ = 0;
  double smoothing_ = 1;  // its share of the width, less with each pass
  double supremum_ = 0, total_variation_ = 0, infinity_mass_ = 0;
  Answer answer_;
};

bool runs_once(const MergedDirection& direction) {
  return direction.terms.size() == 1 && direction.terms.front().count == 1;
}

// A single step needs no grid.
Answer one_step(const DominatingPair& pair, bool wants_epsilon, double value, const Limits& limits) {
  const auto [lower, upper] = wants_epsilon ? one_step_epsilon(pair, value) : one_step_delta(pair, value);
  Answer answer;
  answer.lower = lower;
  answer.upper = upper;
  answer.met =
      upper - lower <= limits.tolerance * upper || lower == upper || (!wants_epsilon && upper <= smallest_delta);
  if (!answer.met) answer.obstacle = "rounding";
  answer.passes = 1;
  const double epsilon = wants_epsilon ? upper : value;
  if (!std::isfinite(epsilon)) return answer;
  const auto at = one_step_delta(pair, epsilon);
  answer.rounding = at.upper - at.lower;
  return answer;
}

// The worse of two certified answers: each end is the larger.
Answer worse(Answer a, const Answer& b, const Limits& limits) {
  Answer result = b.upper > a.upper ? b : a;
  result.lower = std::max(a.lower, b.lower);
  result.upper = std::max(a.upper, b.upper);
  result.met = (std::isfinite(result.upper) && result.upper - result.lower <= limits.tolerance * result.upper) ||
               result.lower == result.upper || (a.met && b.met);
  if (result.met) result.obstacle = {};
  if (!result.met && result.obstacle.empty()) result.obstacle = a.obstacle.empty() ? b.obstacle : a.obstacle;
  return result;
}

// True only if delta(epsilon) of this direction is certainly no more than needed for the answer
// found already to be the larger one.
bool is_dominated(const Direction& direction, const Solver& solver, bool wants_epsilon, double value,
                  const Answer& found) {
  if (wants_epsilon && !(found.lower > 0)) return false;
  const double epsilon = wants_epsilon ? found.lower : value;
  const double goal = wants_epsilon ? value : found.lower;
  if (epsilon >= solver.supremum()) return true;
  const Saddle at = solver.pilot().saddle_for_epsilon(epsilon);
  const double forecast = solver.pilot().log_chernoff_delta(at.tilt, epsilon);
  const double room = std::log(goal) - forecast;
  if (!(at.tilt > 0) || room < 0) return false;  // not worth trying
  return chernoff_delta(direction, solver.pilot(), epsilon, std::clamp(0.3 * room, 0.1, 2.0)) <= goal;
}

// By moments, where every direction has them and runs more than once.
std::vector<std::optional<Answer>> by_contour(const std::vector<MergedDirection>& merged, bool wants_epsilon,
                                              std::span<const double> values, const Limits& limits) {
  std::vector<Direction> directions;
  std::size_t terms = 0;
  for (const MergedDirection& direction : merged) {
    if (direction.terms.empty() || runs_once(direction)) continue;
    directions.push_back(direction.terms);
    terms += direction.terms.size();
  }
  if (limits.method == Method::transform || limits.memory_limit / contour_bytes < terms || directions.empty() ||
      directions.size() < merged.size())
    return std::vector<std::optional<Answer>>(values.size());
  return contour_answers(directions, wants_epsilon, values, limits);
}

Answer by_transform(const std::vector<MergedDirection>& merged, bool wants_epsilon, double value,
                    const Limits& limits) {
  std::optional<Answer> result;
  const auto take = [&](const Answer& next) { result = result ? worse(*result, next, limits) : next; };
  std::vector<Solver> solvers;
  for (const MergedDirection& direction : merged) {
    if (direction.terms.empty())
      take(Answer{});
    else if (runs_once(direction))
      take(one_step(*direction.terms.front().pair, wants_epsilon, value, limits));
    else
      solvers.emplace_back(direction.terms, wants_epsilon, value, limits);
  }
  std::vector<std::size_t> order(solvers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return solvers[a].forecast() > solvers[b].forecast(); });
  std::vector<const Direction*> terms;
  for (const MergedDirection& direction : merged)
    if (!direction.terms.empty() && !runs_once(direction)) terms.push_back(&direction.terms);
  for (const std::size_t i : order) {
    if (result && is_dominated(*terms[i], solvers[i], wants_epsilon, value, *result)) continue;
    take(solvers[i].solve());
  }
  return result.value_or(Answer{});
}

std::vector<Answer> answers_to(std::span<const Direction> directions, bool wants_epsilon,
                               std::span<const double> values, const Limits& limits) {
  check_floating_point_environment();
  std::vector<MergedDirection> merged;
  for (const Direction& direction : directions) merged.push_back(merge_gaussians(direction));
  const auto found = by_contour(merged, wants_epsilon, values, limits);
  std::vector<Answer> answers;
  answers.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    checkpoint_each<16>(i),
        answers.push_back(found[i] ? *found[i] : by_transform(merged, wants_epsilon, values[i], limits));
  return answers;
}

}  // namespace

std::vector<Answer> epsilon_bounds(std::span<const Direction> directions, std::span<const double> deltas,
                                   const Limits& limits) {
  return answers_to(directions, true, deltas, limits);
}

std::vector<Answer> delta_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                 const Limits& limits) {
  return answers_to(directions, false, epsilons, limits);
}

}  // namespace hockeystick
