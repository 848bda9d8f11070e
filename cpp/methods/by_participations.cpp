// SPDX-License-Identifier: Apache-2.0
// Runs with sampled Gaussians of little noise: by formulas where they are alone, else by the curves of all other terms
// composed with the normal loss that each number of joined steps adds.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mechanisms/gaussian/gaussian.hpp"
#include "methods/method.hpp"
#include "methods/participations.hpp"
#include "methods/questions.hpp"
#include "numeric/rounding.hpp"
#include "plan/cost.hpp"
#include "pld/reflect.hpp"

namespace hockeystick {
namespace {

using Place = Participations::Place;

// The halvings of epsilon by which an answer is found, twice, and the cost of a part of a sum [ns], set by hand.
constexpr double halvings = 70, part = 150;
constexpr double most_parts = 10000;
// The relative difference of deltas that the rounding of the rates and of the given delta already makes.
constexpr double same_delta = 0x1p-34;

class GivenParticipations final : public Evaluator {
 public:
  explicit GivenParticipations(Participations run) : run_(std::move(run)) {}

  Answer answer(Quantity quantity, double at, double) const override {
    const bool wants_epsilon = quantity == Quantity::epsilon;
    Answer result = enclosed(wants_epsilon ? run_.epsilon(at) : run_.delta(at), "participations");
    if (wants_epsilon && !std::isfinite(result.upper)) return result;
    // Between two numbers of joined steps delta hardly falls: a delta that is met to ten digits there is met by the
    // whole interval.
    if (wants_epsilon)
      result.converged = run_.delta(result.lower).upper <= at * (1 + same_delta) &&
                         run_.delta(result.upper).lower >= at * (1 - same_delta);
    const Interval there = wants_epsilon ? run_.delta(result.upper) : Interval{result.lower, result.upper};
    result.truncation = std::min(run_.mistaken(), there.upper - there.lower);
    result.rounding = there.upper - there.lower - result.truncation;
    return result;
  }

 private:
  Participations run_;
};

// A run with other terms: their curve composed with N(s, 1) against N(0, 1), with one s^2 for each number of joined
// steps. The composed curve is at least that of the normal loss alone, and where this bound is not close enough, the
// engine is asked.
class BesideOthers final : public Evaluator {
 public:
  BesideOthers(Participations run, double tolerance, const Limits& limits)
      : run_(std::move(run)), tolerance_(part_of_tolerance * tolerance), memory_limit_(limits.memory_limit) {}

  Answer answer(Quantity quantity, double at, double) const override {
    Answer result = enclosed(quantity == Quantity::epsilon ? epsilon(at) : delta(at, tolerance_), "participations");
    result.truncation = std::min(run_.mistaken(), result.upper - result.lower);
    return result;
  }

 private:
  // The tolerance of the other terms' curves, as a part of the answer's, which leaves room for parts without a
  // question; the most questions to the engine; delta of the other terms beyond their reach.
  static constexpr double part_of_tolerance = 0.3;
  static constexpr int most_asked = 32;
  static constexpr double beyond_reach = 1e-12, same = 1e-6;

  // With a `goal` the question is on which side of the goal delta lies, by the smaller of delta and 1 - delta; with 0
  // it is delta itself.
  Interval delta(double epsilon, double tolerance, double goal = 0) const {
    return run_.mean([=, this](std::span<const Place> places) { return curves(places, tolerance, goal); }, epsilon);
  }

  std::vector<Interval> curves(std::span<const Place> places, double tolerance, double goal) const {
    std::vector<Interval> values;
    std::vector<bool> is_open(places.size(), true);
    const double reach = places.size() > most_asked ? reach_of_others() : infinity;
    for (const auto& [weight, square, from, to] : places) {
      Interval value{normal_curve(square, to).lower, 1};
      if (from > reach) {
        const double above = normal_curve(square, from - reach).upper;      // proof: participations
        value.upper = std::min(1.0, (above + beyond_reach) * (1 + 4 * u));  // proof: participations
      }
      values.push_back(value);
    }
    const auto missing = [&](std::size_t i) {
      return is_open[i] ? places[i].weight * (values[i].upper - values[i].lower) : 0;
    };
    for (int asked = 0; asked < most_asked; ++asked) {
      double known = 0, open = 0;
      std::size_t most = 0;
      for (std::size_t i = 0; i < places.size(); ++i) {
        known += places[i].weight * values[i].lower, open += missing(i);
        if (missing(i) > missing(most)) most = i;
      }
      const double scale = goal > 0 ? std::min(goal, 1 - goal) : known;
      const bool is_decided = goal > 0 && (known > goal + same * scale || known + open < goal - same * scale);
      if (is_decided || open <= tolerance * scale) break;
      const double share = tolerance * scale / places[most].weight;
      const Limits limits{
          goal > 0.5 ? std::min(tolerance, share) : tolerance, memory_limit_, {}, std::min(0.1, 0.1 * share)};
      values[most] = both(values[most], composed(places[most], limits));
      is_open[most] = false;
    }
    return values;
  }

  Interval composed(const Place& place, const Limits& limits) const {
    Direction run = run_.others();
    if (place.square > 0) run.push_back({gaussian_pair(std::sqrt(place.square), 16 * u), 1});  // proof: participations
    if (place.from >= 0) {
      const std::vector<Answer> found = curve_bounds({&run, 1}, std::array{place.from, place.to}, limits);
      return {found.back().lower, found.front().upper};
    }
    return {at_any(run, place.to, limits).lower, at_any(run, place.from, limits).upper};
  }

  // The methods enclose curves at losses of at least 0.
  static Interval at_any(Direction run, double loss, const Limits& limits) {
    for (Term& term : run)
      if (loss < 0 && !(term.pair = term.pair->reverse())) return by_reverse(loss, {0, 1});
    const double epsilon = std::fabs(loss);
    const Answer found = curve_bounds({&run, 1}, {&epsilon, 1}, limits).front();
    return loss < 0 ? by_reverse(loss, {found.lower, found.upper}) : Interval{found.lower, found.upper};
  }

  double reach_of_others() const {
    return epsilon_bounds({&run_.others(), 1}, std::array{beyond_reach}, {0.5, memory_limit_}).front().upper;
  }

  // The steps with little noise cost at most as much as the whole run.
  Interval epsilon(double delta) const {
    const Limits roughly{0.1, memory_limit_};
    const std::array deltas{delta, 0.1 * std::min(delta, 1 - delta), 0.5 * delta, 0.99 * delta};
    const std::vector<Answer> others = epsilon_bounds({&run_.others(), 1}, deltas, roughly);
    if (others[0].lower == infinity) return {infinity, infinity};
    Interval found{std::max(others[0].lower, run_.epsilon(delta).lower), infinity};
    for (std::size_t k = 1; k < deltas.size() && found.upper == infinity; ++k) {  // each of the two has a part of delta
      const double sampled = run_.epsilon((delta - deltas[k]) * (1 - 4 * u)).upper;
      found.upper = (sampled + others[k].upper) * (1 + 4 * u);  // proof: participations
    }
    if (found.upper == infinity) return found;
    double tolerance = tolerance_;
    const auto ask = [&](double epsilon) {
      const Interval there = this->delta(epsilon, tolerance, delta);
      if (there.lower > delta) found.lower = std::max(found.lower, epsilon);
      if (there.upper <= delta) found.upper = std::min(found.upper, epsilon);
    };
    if (found.lower == 0) ask(0);
    const auto halve = [&](auto is_above) {
      double low = found.lower, high = found.upper;
      for (int k = 0; k < most_halvings && high - low > tolerance_ * high; ++k) {
        const double middle = low + (high - low) / 2;
        ask(middle);
        (is_above(middle) ? low : high) = middle;
      }
    };
    // Where delta is too close to the given one to compare, delta is asked more closely.
    for (int k = 0; k < 3; ++k, tolerance *= 0.1) {
      halve([&](double epsilon) { return epsilon < found.upper; });
      halve([&](double epsilon) { return epsilon <= found.lower; });
    }
    return found;
  }
  static constexpr int most_halvings = 60;  // where epsilon is next to 0

  Participations run_;
  double tolerance_;
  std::size_t memory_limit_;
};

class ByParticipations final : public Method {
 public:
  explicit ByParticipations(Task& task) : Method(task) { choose(); }

  Forecast forecast() override {
    if (!run_) return {.obstacle = "noise hides which steps a record joins"};
    if (is_done_) return {.obstacle = "which steps a record joins is mistaken too often"};
    const bool is_alone = run_->others().empty();
    if (!is_alone && !task_.is_bounded && !task_.is_named()) return {.obstacle = "the trivial bounds come first"};
    const double parts = run_->size();
    if (parts > most_parts) return {.obstacle = "too many steps may be joined"};
    const bool wants_epsilon = task_.question.wants_epsilon();
    const double formulas = part * parts * (wants_epsilon ? halvings : 1);
    const double engine = is_alone ? 0 : tuning::term * (wants_epsilon ? asked_for_epsilon : 1);
    return {.cost = tuning::line + formulas + engine, .width = is_rare_ ? 0.5 : infinity};
  }

  std::shared_ptr<const Evaluator> prepare() override {
    if (run_->others().empty()) return std::make_shared<GivenParticipations>(*run_);
    return std::make_shared<BesideOthers>(*run_, task_.question.tolerance, task_.limits);
  }

 private:
  // At a smaller mu mistakes hide the deltas of practice; at the larger mu hardly any step is mistaken. The third
  // number is delta of the other terms where nothing is known of it. By hand.
  static constexpr double least_mu = 8, visible_mu = 16, delta_of_others = 1e-9, asked_for_epsilon = 16;

  // Chooses the steps of which the outcome shows whether the record joined. Where epsilon is found by formulas, delta
  // may be off by much more than the tolerance, as epsilon is large and delta falls with it.
  void choose() {
    const double at = task_.question.at, tolerance = task_.question.tolerance;
    for (const double least : {least_mu, visible_mu}) {
      std::optional<Participations> run = Participations::of(task_.run, 0, least);
      if (!run) return;
      const bool is_alone = run->others().empty(), wants_epsilon = task_.question.wants_epsilon();
      const double delta =
          wants_epsilon ? std::min(at, 1 - at) : std::max(run->delta(at).lower, is_alone ? 0 : delta_of_others);
      is_rare_ = run->mistaken() <=
                 (is_alone || !wants_epsilon ? 0.5 : 0.1) * (is_alone && wants_epsilon ? 0.1 : tolerance) * delta;
      if (least == least_mu || is_rare_) run_ = std::move(run);
      if (is_rare_) return;
    }
  }

  std::optional<Participations> run_;
  bool is_rare_ = false;  // whether mistakes are rare next to delta
};

}  // namespace

std::unique_ptr<Method> participations(Task& task) { return std::make_unique<ByParticipations>(task); }

}  // namespace hockeystick
