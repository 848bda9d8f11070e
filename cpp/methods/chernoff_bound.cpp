// SPDX-License-Identifier: Apache-2.0
#include "methods/chernoff_bound.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "discretize/connect_dots.hpp"
#include "discretize/jensen_integral.hpp"
#include "methods/method.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/union_probability.hpp"
#include "plan/cost.hpp"
#include "plan/grid_interval.hpp"
#include "plan/moment_edges.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

// Certified upper bound of delta(epsilon) by Chernoff's inequality alone, without a transform:
// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y), K of connect-the-dots steps, at the tilt of `at`. Infinite
// if it is of no use. It exceeds delta by a factor of about tilt * deviation * 2.5, and by up to e^coarse for its
// coarse steps, which have few points.
double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon) {
  constexpr double coarse = 0.1;
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

}  // namespace

FarBelow::FarBelow(const Saddlepoint& whole, double epsilon, double smallest)
    : sketch(whole, math::log(1e-3) + math::log(smallest)), at(sketch.far_saddle(epsilon)) {
  log_delta = std::exchange(at.log_delta, math::log(smallest));
}

namespace {

// Losses are cut at this size, so that exponents are at most 80.
double reach_at(double t) { return std::min(80 / t, 1000.0); }

}  // namespace

double negative_moment_above(const DominatingPair& pair, double t) {
  Held room;
  const std::vector<double> edges = moment_edges(pair, 1, room, reach_at(t));
  const PairCells cells = pair.integrate(edges);
  const auto nothing = [](double) { return 0.0; };
  const LossFunction power{[=](double l) { return math::exp(-t * l); }, [=](double l) { return t * math::exp(-t * l); },
                           infinity, nothing, nothing};
  const double within = loss_integral(cells, edges, power).upper;
  // Upper bound of the integral over outcomes of at most these masses.
  const auto at_most = [=](double p, double q) {
    return p > 0 && q > 0 ? math::exp((1 - t) * math::log(p) + t * math::log(q)) * (1 + 1e-12) : 0.0;
  };
  const double lowest = cells.lower_tail_p * (1 + cells.mass_error) + 1e-300;   // proof: chernoff-near-one
  const double highest = cells.upper_tail_p * (1 + cells.mass_error) + 1e-300;  // proof: chernoff-near-one
  const double top = edges.back() - cells.loss_error;                           // proof: chernoff-near-one
  const double unlisted = up(cells.infinity_mass - cells.infinity_mass_lower);  // proof: chernoff-near-one
  const double below = at_most(lowest, cells.lower_tail_q), hidden = at_most(unlisted, 1);
  const double beyond = highest * math::exp(-t * top) * (1 + 128 * u);
  constexpr double lost = 1e-250;                                  // proof: chernoff-near-one
  return (within + below + beyond + hidden + lost) * (1 + 8 * u);  // proof: chernoff-near-one
}

namespace {

// A lower bound of delta, for deltas next to 1.
class FromBelow final : public Evaluator {
 public:
  FromBelow(const Direction& terms, double tilt) : tilt_(tilt) {
    for (const Term& term : terms) {
      checkpoint();
      const double log_moment = math::log(std::min(1.0, negative_moment_above(*term.pair, tilt)));
      log_moment_ += static_cast<double>(term.count) * log_moment;
    }
    log_moment_ *= 1 - u * static_cast<double>(terms.size() + 8);  // proof: chernoff-near-one
  }

  Answer answer(Quantity quantity, double at, double) const override {
    if (quantity == Quantity::epsilon) {
      // proof: chernoff-near-one
      const double spared = math::log1p(-at) * (1 + 8 * u) - log_moment_ * (1 - 8 * u);
      return enclosed({std::max(0.0, spared / (tilt_ * (1 + 8 * u))), infinity}, "chernoff_bound");
    }
    const double exponent = log_moment_ * (1 - 4 * u) + tilt_ * at * (1 + 4 * u);  // proof: chernoff-near-one
    const double missed = math::exp(std::min(0.0, exponent)) * (1 + 8 * u);        // proof: chernoff-near-one
    return enclosed({std::max(0.0, down(1 - missed)), 1}, "chernoff_bound");
  }

 private:
  double tilt_, log_moment_ = 0;
};

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

// An upper bound answers where delta is below the floor, a lower bound where delta is next to 1.
class ByChernoff final : public Method {
 public:
  using Method::Method;

  Forecast forecast() override {
    const Question& asked = task_.question;
    if (is_done_ || (asked.wants_epsilon() && asked.at < 0.5))
      return {.obstacle = "it bounds delta from one side alone"};
    if (const auto obstacle = task_.grid_obstacle(); !obstacle.empty()) return {.obstacle = obstacle};
    const Saddle& at = task_.grid().place().at();
    const double cost = tuning::term * static_cast<double>(task_.terms().size());
    if (asked.wants_epsilon()) {
      const Saddlepoint& whole = task_.grid().place().whole();
      near_one_ = whole.chernoff_quantile(0, -math::log1p(-asked.at), -1, 0.98);
      const double upper = task_.answer.upper;
      if (!(near_one_.loss > task_.answer.lower)) return {.obstacle = "delta is not next to 1"};
      return {cost, 0, std::isfinite(upper) ? (upper - near_one_.loss) / (asked.tolerance * upper) : infinity, {}};
    }
    near_one_ = at.tilt <= 0 ? task_.grid().place().whole().exceeded(asked.tolerance) : ChernoffQuantile{};
    if (asked.at < near_one_.loss) return {.cost = cost};
    if (!asks_floor_ && shows_below(smallest_delta)) return {.cost = cost};
    asks_floor_ = true;
    const double floor = task_.limits.floor();
    if (task_.answer.upper <= floor) return {.obstacle = "delta is known to be below the smallest that matters"};
    if (!shows_below(floor)) return {.obstacle = "delta is neither below the smallest that matters nor next to 1"};
    return {.cost = std::max(cost, tuning::for_the_smallest)};  // a cheaper method may meet the tolerance
  }

  std::shared_ptr<const Evaluator> prepare() override {
    if (is_next_to_one()) return std::make_shared<FromBelow>(task_.terms(), -near_one_.tilt);
    return std::make_shared<ChernoffBound>(task_.terms(), far_->sketch, far_->at);
  }

  // Next to the smallest double the bound may fail, and still show that delta is below the floor.
  void learn(const Answer&) override { is_done_ = std::exchange(asks_floor_, true) || is_next_to_one(); }

 private:
  bool is_next_to_one() const { return task_.question.wants_epsilon() || task_.question.at < near_one_.loss; }
  bool shows_below(double smallest) {
    far_.emplace(task_.grid().place().whole(), task_.question.at, smallest);
    return far_->log_delta < math::log(smallest);
  }

  std::optional<FarBelow> far_;
  ChernoffQuantile near_one_{};
  bool asks_floor_ = false;  // else whether delta is below the smallest double is asked
};

}  // namespace

std::unique_ptr<Method> chernoff_bound(Task& task) { return std::make_unique<ByChernoff>(task); }

}  // namespace hockeystick
