// SPDX-License-Identifier: Apache-2.0
#include "views/loss_tail.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/chernoff_bound.hpp"
#include "methods/enumeration.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/largest_loss.hpp"
#include "methods/one_large_loss.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "views/curve_points.hpp"
#include "views/loss_laws.hpp"
#include "views/quantile_by_deltas.hpp"

namespace hockeystick {
namespace {

constexpr double farthest_loss = 1e12;   // largest loss at which deltas are asked
constexpr double twelve_digits = 1e-12;  // relative width of a quantile at which its own rounding counts as much

// A kind of question: the quantity at a point of one direction, and the width that its answers may have.
struct Kind {
  Saddle (*place)(const Saddlepoint&, double point);  // forecast of t at the answer
  Interval (*gaussian)(double mu, double mu_error, double point);
  Interval (*listed)(const Enumeration& sums, double point);
  Interval (*joined)(const Participations& run, double point);
  Interval start, nothing;                                        // before anything is known; for loss 0
  double (*allowed)(const Answer&, const Limits&, double scale);  // width
  bool is_tail;                                                   // whether tails are asked, else quantiles
};

Answer exactly(const Interval& bounds) {
  Answer answer;
  answer.lower = bounds.lower;
  answer.upper = bounds.upper;
  return answer;
}

// Answers from deltas near the loss. `about`: pairs from which the place of the loss is guessed.
class Solver {
 public:
  // `known`: bounds that the caller has. The answers of other directions are lower ends as well.
  Solver(const Kind& kind, const Direction& about, CurvePoints curve, std::span<const double> points,
         std::vector<Answer> known, const Limits& limits)
      : kind_(kind),
        about_(about),
        curve_(std::move(curve)),
        saddlepoint_(about),
        points_(points),
        limits_(limits),
        answers_(std::move(known)),
        shortest_(points.size()) {}

  // Takes answers that are infinite. `infinite`: a lower bound of P(L = inf).
  void take_infinite(double infinite) {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (infinite > rest_of(points_[i]).upper || answers_[i].lower == infinity)  // proof: loss-tail-chords
        answers_[i] = exactly({infinity, infinity});
  }

  // Takes the answers that follow from the largest loss of the pairs.
  void take_largest() {
    const UnionProbability infinite = infinity_mass(about_);
    if (!kind_.is_tail) return take_infinite(infinite.lower());
    const double largest = largest_finite_loss(about_);
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (points_[i] >= largest) answers_[i] = answer_of({infinite.lower(), infinite.upper()});
  }

  // Answers about rarely sampled steps, by the one step that loses much.
  void take_large_losses() {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged && !kind_.place(saddlepoint_, points_[i]).regular)
        narrow(i, tail_by_large_losses(about_, saddlepoint_, points_[i], limits_.tolerance));
  }

  std::vector<Answer> solve() {
    if (kind_.is_tail)
      solve_tails();
    else
      solve_quantiles();
    for (Answer& answer : answers_)
      if (!answer.converged) curve_.explain(answer);
    return std::move(answers_);
  }

  // Bounds tails that are likely to be below the floor, from deltas at the loss and before it that are below it, too.
  void solve_below_floor() {
    const double lost = 1e-3 * limits_.floor();
    std::vector<WantedPoint> wanted;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (answers_[i].converged) continue;
      const FarBelow far(saddlepoint_, points_[i], lost);
      if (!(far.log_delta < math::log(limits_.floor()))) continue;
      for (const double before : {0.0, std::min(points_[i], 1 / (1 + far.at.tilt)), points_[i] / 16})
        wanted.push_back({points_[i] - before, 0.5, lost});
    }
    if (curve_.ask(std::move(wanted))) take();
  }

 private:
  void solve_tails() {
    const std::vector<double> rates = fall_rates();
    // Where deltas are not as close as wanted, points at the distance that suits such deltas are asked once.
    int unserved = curve_.finest() > least_tolerance ? 2 : 1;
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<WantedPoint> wanted;
      for (std::size_t i = 0; i < points_.size(); ++i)
        if (!answers_[i].converged) add_points(i, rates[i], round, wanted);
      const bool is_served = !wanted.empty() && curve_.ask(std::move(wanted));
      const bool is_narrower = take();
      if ((!is_narrower && round > 0) || (!is_served && --unserved == 0)) break;
    }
  }

  void solve_quantiles() {
    std::vector<std::size_t> open;
    std::vector<SoughtQuantile> sought;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (answers_[i].lower == infinity) continue;
      const Interval tail = rest_of(points_[i]);
      const double at = kind_.place(saddlepoint_, points_[i]).epsilon, deviation = saddlepoint_.deviation();
      const Interval guess = likely_quantile(about_, tail.lower, at, deviation, limits_.memory_limit);
      open.push_back(i), sought.push_back({tail, guess, limits_.tolerance});
    }
    if (open.empty()) return;
    const std::vector<FoundQuantile> found = quantiles_by_deltas(curve_, saddlepoint_.deviation(), sought);
    for (std::size_t k = 0; k < open.size(); ++k) {
      narrow(open[k], found[k].bounds);
      answers_[open[k]].converged |= found[k].is_close;
    }
  }

  // Takes the points of the curve; returns whether an answer became narrower.
  bool take() {
    const KnownCurve known(curve_);
    bool is_narrower = false;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged)
        if (const auto at = point_at(points_[i]); at != known.points.end())
          is_narrower = narrow(i, known.tail(at - known.points.begin())) || is_narrower;
    return is_narrower;
  }

  std::span<const CurvePoint>::iterator point_at(double loss) const {
    const std::span<const CurvePoint> points = curve_.points();
    return std::find_if(points.begin(), points.end(), [=](const CurvePoint& point) { return point.loss == loss; });
  }

  Answer answer_of(const Interval& found) const {
    Answer answer = exactly(found);
    answer.converged = found.upper - found.lower <= kind_.allowed(answer, limits_, saddlepoint_.deviation());
    return answer;
  }

  bool narrow(std::size_t i, const Interval& found) {
    const Interval last{answers_[i].lower, answers_[i].upper};
    answers_[i] = answer_of(both(last, found));
    return answers_[i].lower > last.lower || answers_[i].upper < last.upper;
  }

  // The rate at which each tail falls: by the moments or, where these do not decide the tail, by two deltas.
  std::vector<double> fall_rates() {
    std::vector<double> rates;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Saddle at = kind_.place(saddlepoint_, points_[i]);
      rates.push_back((0.8 + std::fabs(at.tilt) * at.deviation) / at.deviation);
      if (!at.regular && !answers_[i].converged && points_[i] > 0)
        if (const double found = curve_.fall(points_[i] * (1 - 1.0 / 16), points_[i]); found > 0) rates[i] = found;
    }
    return rates;
  }

  // A chord of length h leaves open about h r of a tail that falls at the rate r, and 2 / (h (1 + r)) times the error
  // of delta. Chords are no shorter than suits the closest deltas. Before a point where the curve may belong to no one
  // pair, chords reach over a nat of the fall.
  void add_points(std::size_t i, double rate, int round, std::vector<WantedPoint>& wanted) {
    const auto at = point_at(points_[i]);
    const bool is_known = at != curve_.points().end();
    const bool is_dear = curve_.finest() > least_tolerance;  // more than a rough look
    if (!is_known && (!curve_.closes() || (is_dear && answers_[i].lower > 0))) {
      for (const double before : {0.0, 0.5, 1.0}) wanted.push_back({points_[i] - before / (1 + rate), most_tolerance});
      return;
    }
    const double off = !curve_.closes()        ? 1 - at->value.lower / at->value.upper
                       : round > 0 && is_known ? at->refused
                                               : 0;
    const double part = 0.3 * limits_.tolerance / (1 << 2 * round), least = std::max(curve_.finest(), off);
    const double shortest = std::sqrt(2 * least) / (1 + rate);
    const bool is_shortest = shortest > part / rate;
    const double last = std::exchange(shortest_[i], shortest);
    if (is_shortest && shortest < 1.4 * last && last < 1.4 * shortest) return;  // such points are known
    const double length = std::min(std::max(part / rate, shortest), points_[i] - curve_.least());
    const double tolerance = std::clamp(0.25 * part * length * (1 + rate), least, most_tolerance);
    const double enough = is_known ? tolerance * at->value.lower : 0;
    const auto add = [&](double away) {
      if (points_[i] + away >= curve_.least()) wanted.push_back({points_[i] + away, tolerance, enough});
    };
    for (const double away : {0, -1, 1, -2, 2}) add(away * length);
    if (is_shortest) add(-0.5 * length), add(0.5 * length);
    if (!curve_.closes())
      for (const double away : {0.5, 1.0, 2.0, 4.0}) add(-away / (1 + rate));
  }

  const Kind& kind_;
  const Direction& about_;
  CurvePoints curve_;
  Saddlepoint saddlepoint_;
  std::span<const double> points_;
  Limits limits_;
  std::vector<Answer> answers_;
  std::vector<double> shortest_;  // the shortest chords asked so far, where deltas come no closer
};

std::vector<Answer> from_sums(const Kind& kind, const Enumeration& sums, const Direction& direction,
                              std::span<const double> points, const Limits& limits) {
  const double deviation = Saddlepoint(direction).deviation();
  std::vector<Answer> answers;
  for (const double point : points) {
    const auto allowed = [&](const Answer& answer) { return kind.allowed(answer, limits, deviation); };
    answers.push_back(settled(kind.listed(sums, point), allowed));
  }
  return answers;
}

// Of sampled Gaussians with little noise, by the number of steps that a record joins; else nothing is known.
std::vector<Answer> by_participations(const Kind& kind, const MergedDirection& run, std::span<const double> points,
                                      const Limits& limits) {
  std::vector<Answer> answers(points.size(), exactly(kind.start));
  for (Answer& answer : answers) answer.converged = false;
  // The errors of losses at which the rounding of the mechanism's own parameters counts as much.
  for (const double slack : {1e-4 * limits.tolerance, 0.5 * largest_loss_rounding}) {
    const auto joined = Participations::of(run, slack);
    if (!joined || !joined->others().empty()) break;
    const double deviation = Saddlepoint(run.terms).deviation();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (answers[i].converged) continue;
      const Answer& last = answers[i] =
          exactly(both({answers[i].lower, answers[i].upper}, kind.joined(*joined, points[i])));
      answers[i].converged = last.upper - last.lower <= kind.allowed(last, limits, deviation);
    }
  }
  return answers;
}

std::vector<Answer> one_direction(const Kind& kind, const Direction& direction, const Direction* reverse,
                                  std::span<const double> points, const std::vector<Answer>& known,
                                  const Limits& limits) {
  const MergedDirection merged = merge_gaussians(direction);
  if (!merged.terms.empty() && !merged.only_gaussian) {
    if (const auto sums = Enumeration::of(merged.terms, limits.memory()))
      return from_sums(kind, *sums, merged.terms, points, limits);
    std::vector<Answer> answers = by_participations(kind, merged, points, limits);
    if (std::all_of(answers.begin(), answers.end(), [](const Answer& each) { return each.converged; })) return answers;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!answers[i].converged) answers[i].lower = std::max(answers[i].lower, known[i].lower);
    Solver solver(kind, merged.terms, {merged.terms, reverse, {limits.tolerance, limits.memory_limit}, farthest_loss},
                  points, std::move(answers), limits);
    solver.take_largest();
    if (kind.is_tail) solver.solve_below_floor(), solver.take_large_losses();
    return solver.solve();
  }
  std::vector<Answer> answers;
  for (const double point : points)
    answers.push_back(exactly(merged.terms.empty() ? kind.nothing : kind.gaussian(merged.mu, merged.mu_error, point)));
  return answers;
}

std::vector<Answer> worst_direction(const Kind& kind, std::span<const Direction> directions,
                                    std::span<const Direction> reverses, std::span<const double> points,
                                    const Limits& limits) {
  check_floating_point_environment();
  std::vector<Answer> result(points.size(),
                             exactly(directions.empty() ? kind.nothing : Interval{-infinity, -infinity}));
  for (std::size_t j = 0; j < directions.size(); ++j) {
    const Direction* reverse = j < reverses.size() ? &reverses[j] : nullptr;
    const std::vector<Answer> answers = one_direction(kind, directions[j], reverse, points, result, limits);
    for (std::size_t i = 0; i < points.size(); ++i)
      result[i] = worse(result[i], answers[i], [](const Answer&) { return false; });
  }
  return result;
}

std::vector<Answer> worst(const Kind& kind, std::span<const Direction> directions, std::span<const Direction> reverses,
                          std::span<const double> points, const Limits& limits) {
  const auto ask = [&](std::span<const double> at, const Limits& within) {
    return worst_direction(kind, directions, reverses, at, within);
  };
  // The width of a quantile is a part of the deviation, which differs by direction.
  return budgeted(directions, points, limits, kind.start, ask, [&](const Answer& found) {
    return kind.is_tail && found.upper - found.lower <= kind.allowed(found, limits, 0);
  });
}

std::vector<Answer> between_curves(const Kind& kind, const CurveOfLoss& of, std::span<const double> points,
                                   const Limits& limits) {
  std::vector<Answer> known(points.size(), enclosed(kind.start, {}));
  for (std::size_t i = 0; i < of.others.size(); ++i) known[i].lower = std::max(known[i].lower, of.others[i].lower);
  Solver solver(kind, of.about, {of.deltas, {limits.tolerance, limits.memory_limit}, of.finest, of.closes}, points,
                std::move(known), limits);
  if (kind.is_tail)
    solver.solve_below_floor();
  else
    solver.take_infinite(of.infinite);
  std::vector<Answer> answers = solver.solve();
  for (Answer& each : answers)
    if (!each.converged && each.limited_by != "memory_limit") each.limited_by = "theory";
  return answers;
}

const Kind tail_kind{
    [](const Saddlepoint& saddlepoint, double epsilon) { return saddlepoint.saddle_for_epsilon(epsilon); },
    &gaussian_tail,
    &listed_tail,
    &joined_tail,
    {0, 1},
    {0, 0},
    [](const Answer& answer, const Limits& limits, double) {
      return answer.upper <= limits.floor() ? answer.upper : limits.tolerance * answer.upper;
    },
    true,
};

const Kind quantile_kind{
    [](const Saddlepoint& saddlepoint, double level) {
      return level < 0.5 ? saddlepoint.saddle_for_rate(level, -1, 0) : saddlepoint.saddle_for_rate(1 - level, 1, 0);
    },
    &gaussian_quantile,
    &listed_quantile,
    &joined_quantile,
    {-infinity, infinity},
    {0, 0},
    [](const Answer& answer, const Limits& limits, double deviation) {
      const double size = std::min(std::fabs(answer.lower), std::fabs(answer.upper));
      return limits.tolerance * deviation + (std::isfinite(size) ? twelve_digits * size : 0);
    },
    false,
};

}  // namespace

std::vector<Answer> loss_tail_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                     std::span<const double> epsilons, const Limits& limits) {
  check_each("epsilon", epsilons, ranges::epsilon);
  return worst(tail_kind, directions, reverses, epsilons, limits);
}

std::vector<Answer> loss_quantile_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                         std::span<const double> levels, const Limits& limits) {
  check_each("level", levels, ranges::inner_probability);
  return worst(quantile_kind, directions, reverses, levels, limits);
}

std::vector<Answer> loss_tails_between(const CurveOfLoss& of, std::span<const double> epsilons, const Limits& limits) {
  return between_curves(tail_kind, of, epsilons, limits);
}

std::vector<Answer> loss_quantiles_between(const CurveOfLoss& of, std::span<const double> levels,
                                           const Limits& limits) {
  return between_curves(quantile_kind, of, levels, limits);
}

}  // namespace hockeystick
