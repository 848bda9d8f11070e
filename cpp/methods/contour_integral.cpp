// SPDX-License-Identifier: Apache-2.0
#include "methods/contour_integral.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "forecast/contour_plan.hpp"
#include "methods/contour_sum.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr int most_attempts = 3;
constexpr double room = 8;  // nats, where there are many questions
constexpr std::size_t many_samples = 24;

// The worse of two answers.
Answer worse(const std::optional<Answer>& a, const Answer& b) {
  if (!a) return b;
  Answer both = b.upper > a->upper ? b : *a;
  both.lower = std::max(a->lower, b.lower);
  return both;
}

// Answers questions of rising value one after another, by the sums of the last where these are good enough.
class Solver {
 public:
  static constexpr std::size_t longest_run = 64;

  Solver(std::span<const Direction> directions, bool wants_epsilon, const Limits& limits, double spare)
      : directions_(directions),
        wants_epsilon_(wants_epsilon),
        tolerance_(limits.tolerance),
        room_(spare),
        ceilings_(directions.size(), 1.0) {}

  std::optional<Answer> solve(double value) {
    if (const auto known = by_sums(value, start_)) return known;
    std::optional<Answer> worst;
    for (std::size_t i = 0; i < directions_.size(); ++i) {
      if (worst) {
        if (const auto next = by_sum(i, value, worst->upper, worst)) {
          worst = next;
          continue;
        }
      }
      const auto next = anew(i, value);
      if (!next) return {};
      worst = worse(worst, *next);
    }
    return worst;
  }

  /// The deltas at the first of these rising epsilons, as many as the current sums answer. As `solve` would.
  std::size_t take_run(std::span<const double> epsilons, std::span<Answer> answers) {
    if (wants_epsilon_ || sums_.empty()) return 0;
    std::array<ContourDelta, longest_run> deltas;
    epsilons = epsilons.first(std::min(epsilons.size(), run_));
    sums_.front().deltas(epsilons, deltas);
    std::size_t taken = 0;
    while (taken < epsilons.size() && take_worst(epsilons[taken], deltas[taken], answers[taken])) ++taken;
    run_ = std::clamp<std::size_t>(2 * taken, 4, longest_run);
    return taken;
  }

 private:
  // By the current plan; nothing if it does not do.
  std::optional<Answer> by_sums(double value, double start) {
    std::optional<Answer> worst;
    for (std::size_t i = 0; i < directions_.size() && !sums_.empty(); ++i) {
      const auto next = by_sum(i, value, worst ? worst->upper : start, worst);
      if (!next) return {};
      worst = next;
    }
    return worst;
  }

  // By the current plan for all directions, given the first one's delta; false if it does not do.
  bool take_worst(double epsilon, const ContourDelta& first, Answer& worst) {
    describe(worst, first);
    if (!is_met(worst)) return false;
    ceilings_.front() = std::min(ceilings_.front(), worst.upper);
    for (std::size_t i = 1; i < directions_.size(); ++i) {
      if (ceilings_[i] <= worst.lower) continue;
      if (i >= sums_.size()) return false;
      Answer found;
      describe(found, sums_[i].delta(epsilon));
      ceilings_[i] = std::min(ceilings_[i], found.upper);
      if (!is_met(found)) return false;
      worst = worse(worst, found);
    }
    return true;
  }

  // By the current plan for one more direction, which then has the worse of both answers.
  std::optional<Answer> by_sum(std::size_t i, double value, double start, const std::optional<Answer>& worst) {
    // delta falls with epsilon: what it was last bounds it here.
    if (worst && !wants_epsilon_ && ceilings_[i] <= worst->lower) return worst;
    if (i >= sums_.size() && worst && is_dominated(i, value, *worst)) return worst;
    if (i >= sums_.size()) {
      const Lines lines = make_lines(directions_[i], plan_.needs);
      if (lines.empty()) return {};
      sums_.emplace_back(directions_[i], lines, plan_.contour);
    }
    if (worst && wants_epsilon_ && sums_[i].delta(worst->lower).upper() <= value) return worst;
    const Answer found = enclose(sums_[i], value, start);
    if (!wants_epsilon_) ceilings_[i] = std::min(ceilings_[i], found.upper);
    if (!is_met(found)) return {};
    return worse(worst, found);
  }

  // Whether Chernoff's inequality, cheaper than many samples, shows that a direction has no part in the answer.
  bool is_dominated(std::size_t i, double value, const Answer& worst) const {
    if (room_ > 0 || plan_.contour.count < many_samples) return false;
    const double epsilon = wants_epsilon_ ? worst.lower : value, goal = wants_epsilon_ ? value : worst.lower;
    const double tilt = plan_.contour.tilt;  // the least delta has the highest saddle point
    const Lines lines = make_lines(directions_[i], {2 * tilt, 2 * tilt, 4 * tilt, 0, 20});
    if (lines.empty() || !(goal > 0)) return false;
    const auto shows = [&](double at) {
      return log_chernoff_bound(directions_[i], lines, at, epsilon) <= std::log(goal) - 1e-12;
    };
    return shows(2 * tilt) || shows(4 * tilt);
  }

  // By a plan of its own, which takes the place of the current one where it is for the first direction.
  std::optional<Answer> anew(std::size_t i, double value) {
    ContourPlanner planner(directions_[i], wants_epsilon_, value, tolerance_, room_);
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      Lines lines;
      const auto plan = planner.next(lines);
      if (!plan) return {};
      const ContourSum sum(directions_[i], lines, plan->contour);
      if (i == 0) plan_ = *plan;
      Answer found = enclose(sum, value, planner.epsilon());
      if (is_met(found)) {
        if (i == 0) sums_.assign(1, sum);
        start_ = wants_epsilon_ ? found.upper : value;
        return found;
      }
      const double epsilon = wants_epsilon_ ? sum.solve(value, planner.epsilon()) : value;
      if (!planner.learn(epsilon, sum.delta(epsilon).value, sum.slope(epsilon))) return {};
    }
    return {};
  }

  bool is_met(const Answer& found) const { return is_tight(found.lower, found.upper, tolerance_, !wants_epsilon_); }

  Answer enclose(const ContourSum& sum, double value, double start) const {
    Answer result;
    const double epsilon = wants_epsilon_ ? sum.solve(value, start) : value;
    const ContourDelta found = sum.delta(epsilon);
    if (wants_epsilon_) {
      const auto [lower, upper] = sum.enclose(value, epsilon);
      describe(result, found);
      result.lower = lower;
      result.upper = upper;
    } else {
      describe(result, found);
    }
    return result;
  }

  // An answer of delta, and what its width is made of.
  void describe(Answer& result, const ContourDelta& found) const {
    result.upper = std::min(1.0, found.upper());  // proof: clamping
    result.lower = std::max(0.0, found.lower());
    result.truncation = found.tail;
    result.wraparound = found.alias;
    result.rounding = found.rounding;
    result.size = plan_.contour.count;
    result.tilt = plan_.contour.tilt;
    result.passes = 1;
    result.method = "contour_integral";
    result.cost = result.total_cost = plan_.cost;
  }

  std::span<const Direction> directions_;
  bool wants_epsilon_;
  double tolerance_, room_;
  std::vector<double> ceilings_;  // of each direction's delta, from the largest epsilon asked so far on
  ContourPlan plan_{};
  std::vector<ContourSum> sums_;  // by the plan, of the first directions
  double start_ = 0;
  std::size_t run_ = 4;
};

}  // namespace

std::vector<bool> contour_answers(std::span<const Direction> directions, bool wants_epsilon,
                                  std::span<const double> values, const Limits& limits, std::span<Answer> answers) {
  std::vector<bool> found(values.size());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto by_value = [&](std::size_t a, std::size_t b) { return values[a] < values[b]; };
  if (!std::is_sorted(order.begin(), order.end(), by_value)) std::sort(order.begin(), order.end(), by_value);
  std::vector<double> rising;
  for (const std::size_t i : order) rising.push_back(values[i]);
  Solver solver(directions, wants_epsilon, limits, values.size() > 1 ? room : 0);
  std::array<Answer, Solver::longest_run> run;
  for (std::size_t k = 0; k < order.size();) {
    checkpoint();
    const std::size_t taken = solver.take_run(std::span(rising).subspan(k), run);
    for (std::size_t j = 0; j < taken; ++j) {
      answers[order[k + j]] = run[j];
      found[order[k + j]] = true;
    }
    k += taken;
    if (k == order.size()) break;
    if (auto answer = solver.solve(rising[k])) {
      answers[order[k]] = *answer;
      found[order[k]] = true;
    }
    ++k;
  }
  return found;
}

}  // namespace hockeystick
