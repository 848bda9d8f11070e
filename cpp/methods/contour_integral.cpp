// SPDX-License-Identifier: Apache-2.0
// delta(epsilon) of losses with densities, from a few dozen moments of each term on a line of the complex plane.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "methods/contour_sum.hpp"
#include "methods/method.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "plan/contour_plan.hpp"
#include "plan/cost.hpp"
#include "plan/saddlepoint.hpp"
#include "plan/thinned.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

constexpr double next_to_0 = 1e-12;  // a smaller epsilon counts as 0

class ContourIntegral final : public Evaluator {
 public:
  ContourIntegral(ContourProduct product, const ContourPlan& plan, double near)
      : plan_(plan), product_(std::move(product)), sum_(product_), near_(near) {}

  /// Null where a term has no line.
  static std::shared_ptr<const ContourIntegral> of(const Direction& terms, const LineOf& line_of,
                                                   const ContourPlan& plan, double near) try {
    return std::make_shared<ContourIntegral>(ContourProduct(terms, line_of, plan.contour), plan, near);
  } catch (const NoLine&) {
    return nullptr;
  }

  const ContourSum& sum() const { return sum_; }

  Answer answer(Quantity quantity, double at, double near) const override {
    Answer result = enclosed({0, infinity}, "contour_integral");
    const bool wants_epsilon = quantity == Quantity::epsilon;
    const double epsilon = wants_epsilon ? sum_.solve(at, std::isnan(near) ? near_ : near) : at;
    const ContourDelta found = sum_.delta(epsilon);
    describe(found, result);
    if (!wants_epsilon) return result;
    const bool is_zero = !(epsilon > next_to_0) && sum_.delta(0).upper() <= at;
    const auto [lower, upper] = is_zero ? Interval{0, 0} : sum_.enclose(at, epsilon, found);
    result.lower = lower, result.upper = upper;
    return result;
  }

  void deltas(std::span<const double> epsilons, std::span<Answer> answers) const override {
    std::array<ContourDelta, 64> found;
    std::fill(answers.begin(), answers.end(), enclosed({0, infinity}, "contour_integral"));
    for (std::size_t first = 0; first < epsilons.size(); first += found.size()) {
      const std::size_t count = std::min(found.size(), epsilons.size() - first);
      sum_.deltas(epsilons.subspan(first, count), found);
      for (std::size_t k = 0; k < count; ++k) describe(found[k], answers[first + k]);
    }
  }

  std::shared_ptr<const Evaluator> sibling(const Direction& terms) const override {
    return of(terms, made_in_turn(terms, plan_.needs), plan_, near_);
  }

  std::shared_ptr<const Evaluator> grown(const Direction& more) const override try {
    ContourProduct product = product_;
    product.multiply(more, made_in_turn(more, plan_.needs));
    return std::make_shared<ContourIntegral>(std::move(product), plan_, near_);
  } catch (const NoLine&) {
    return nullptr;
  }

  // By Chernoff's inequality if samples are many or terms are many, else by a sum of few samples.
  bool shows_at_most(const Direction& terms, double epsilon, double delta) const override try {
    if (!(delta > 0)) return false;
    const bool has_many = static_cast<double>(terms.size()) >= tuning::many_terms;
    if (static_cast<double>(plan_.contour.count) < tuning::many_samples && !has_many)
      return is_at_most(terms, epsilon, delta);
    const double tilt = has_many ? likely_tilt(terms, epsilon, delta) : 2 * plan_.contour.tilt;
    if (!(tilt > 0)) return false;
    const double higher = has_many ? tilt : 2 * tilt;  // the least delta has the highest saddle point
    ChernoffBound low(tilt), high(higher);
    const LineOf line_of = made_in_turn(terms, {tilt, tilt, higher, 0, 20});
    for (std::size_t j = 0; j < terms.size(); ++j) {
      checkpoint_each<16>(j);
      const MgfLine& line = line_of(j);
      low.add(line, terms[j].count);
      if (higher > tilt) high.add(line, terms[j].count);
    }
    const double least =
        higher > tilt ? std::min(low.log_delta(epsilon), high.log_delta(epsilon)) : low.log_delta(epsilon);
    return least <= math::log(delta) - 1e-12;
  } catch (const NoLine&) {
    return false;
  }

  double bytes() const override { return cost::contour_sample_bytes * static_cast<double>(plan_.contour.count); }

 private:
  // Whether a sum of few samples shows it. Aliases only raise an upper bound, so half the period suffices and they need
  // no bound.
  bool is_at_most(const Direction& terms, double epsilon, double delta) const {
    Contour few = plan_.contour;
    few.lower = few.higher = few.tilt;
    few.period /= 2;
    few.count = std::max<std::size_t>(3, (3 * few.count + 7) / 8);
    LineNeeds needs = plan_.needs;
    needs.lowest = needs.highest = few.tilt;
    needs.frequency = 2 * std::numbers::pi / few.period * static_cast<double>(few.count);
    needs.log_accuracy += std::min(0.0, plan_.log_fraction - tuning::compared_log_error);
    const ContourSum sum(ContourProduct(terms, made_in_turn(terms, needs), few));
    return sum.delta(epsilon).upper() <= delta;  // proof: contour-aliases
  }

  // A tilt at which Chernoff's inequality shows delta(epsilon) <= `delta` by the forecast of a few of the terms; 0 if
  // there is none.
  static double likely_tilt(const Direction& terms, double epsilon, double delta) {
    const Saddlepoint few(strided(terms, std::min<std::size_t>(terms.size() / 8, 16)));
    const double tilt = few.rough_saddle_for_epsilon(epsilon).tilt;
    return few.log_chernoff_delta(tilt, epsilon) < math::log(delta) ? tilt : 0;
  }

  // The bounds of delta, and the parts of their width.
  void describe(const ContourDelta& found, Answer& result) const {
    result.lower = std::max(0.0, found.lower());
    result.upper = std::min(1.0, found.upper());  // proof: clamping
    result.truncation = found.tail;
    result.wraparound = found.alias;
    result.rounding = found.rounding;
    result.size = plan_.contour.count;
    result.tilt = plan_.contour.tilt;
    result.cost = plan_.cost;
  }

  ContourPlan plan_;
  ContourProduct product_;
  ContourSum sum_;
  double near_;  // the forecast epsilon
};

// Moments of atoms do not decay, so these pairs have no line.
bool has_atoms_alone(const Term& term) { return term.pair->finite_law().has_value(); }

class ByContourIntegral final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    if (task_.runs_once() && !task_.is_named()) return {.obstacle = "one step is integrated as it is"};
    if (!planner_ && !is_done_) is_done_ = std::any_of(task_.terms().begin(), task_.terms().end(), has_atoms_alone);
    if (!planner_ && !is_done_) {
      const auto terms = static_cast<double>(std::min(task_.terms().size(), most_forecast_terms));
      const double nodes = cost::line_nodes(task_.limits.memory() / 2, terms);
      if (nodes < cost::fewest_line_nodes) return {.obstacle = "memory_limit"};
      bytes_ = terms * (cost::line_bytes + nodes * cost::node_bytes);
      held_ = Held(bytes_);
      planner_.emplace(task_.terms(), task_.question, nodes);
    }
    // A contour may cost more if transforms stay too wide, or if it is asked for by name.
    const bool others_fail = task_.answer.passes - attempts_ >= tuning::failed_transforms;
    if (planner_ && patience_ == 1 && is_transform_dear()) patience_ = 0;
    const double patience = others_fail ? tuning::patience : task_.is_named() ? tuning::patience_if_named : 1;
    if (!plan_ && !is_done_ && patience > patience_) {
      plan_ = planner_->next(lines_, patience);
      if (!plan_) patience_ = patience, lines_.clear();
      is_done_ = !plan_ && (patience > 1 || attempts_ > 0 || !planner_->is_dear());
    }
    if (is_done_) held_ = {}, planner_.reset();
    if (!plan_) return {.obstacle = "no line of moments that costs less than a transform"};
    const double sample_bytes = cost::contour_sample_bytes * static_cast<double>(plan_->contour.count);
    if (task_.limits.memory() < sample_bytes) return {.obstacle = "memory_limit"};
    return {plan_->cost, bytes_ + sample_bytes, 0.7, {}};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    ++attempts_;
    const ContourPlan plan = *std::exchange(plan_, {});
    const LineOf line_of = lines_.empty() ? made_in_turn(task_.terms(), plan.needs) : kept(lines_);
    return made_ = ContourIntegral::of(task_.terms(), line_of, plan, planner_->epsilon());
  }

  void learn(const Answer&) override {
    const ContourSum& sum = made_->sum();
    const Question& asked = task_.question;
    const double epsilon = asked.wants_epsilon() ? sum.solve(asked.at, planner_->epsilon()) : asked.at;
    const ContourDelta found = sum.delta(epsilon);
    is_done_ = attempts_ >= (planner_->is_elsewhere(epsilon) ? tuning::contour_moves : tuning::contour_attempts) ||
               !planner_->learn(epsilon, found.value, found.slope, found.rounding / sum.unit(epsilon));
  }

 private:
  // Whether the planned transform costs far more than its rough forecast; the planner then gets its cost.
  bool is_transform_dear() {
    if (!task_.grid_obstacle().empty()) return false;
    const double known = std::max(of_transform_, tuning::dear_transform / 3);
    of_transform_ = std::max(of_transform_, task_.grid().cost());
    planner_->learn_of_transform(of_transform_);
    return of_transform_ > 3 * known;
  }

  std::optional<ContourPlanner> planner_;
  std::optional<ContourPlan> plan_;
  Lines lines_;
  double bytes_ = 0;  // of the lines
  Held held_;
  std::shared_ptr<const ContourIntegral> made_;
  int attempts_ = 0;
  double patience_ = 0;      // of the last search that found no plan
  double of_transform_ = 0;  // the cost of a transform that the planner has [ns]
};

}  // namespace

std::unique_ptr<Method> contour_integral(Task& task) { return std::make_unique<ByContourIntegral>(task); }

}  // namespace hockeystick
