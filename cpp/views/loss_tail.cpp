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

constexpr double farthest_loss = 1e12;   // about which deltas are asked
constexpr double twelve_digits = 1e-12;  // of a quantile: its own rounding counts as much

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

Interval tail_between(const KnownCurve& known, double epsilon);

Answer exactly(const Interval& bounds) {
  Answer answer;
  answer.lower = bounds.lower;
  answer.upper = bounds.upper;
  return answer;
}

class Solver {
 public:
  // `known`: bounds that the caller has. Answers of other directions are lower ends, too.
  Solver(const Kind& kind, const Direction& direction, const Direction* reverse, std::span<const double> points,
         std::vector<Answer> known, const Limits& limits)
      : kind_(kind),
        direction_(direction),
        reverse_(reverse),
        saddlepoint_(direction),
        points_(points),
        limits_(limits),
        answers_(std::move(known)) {
    deviation_ = saddlepoint_.deviation();
    const UnionProbability infinite = infinity_mass(direction);
    const double largest = kind.is_tail ? largest_finite_loss(direction) : infinity;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool is_infinite = !kind.is_tail && infinite.lower() > rest_of(points[i]).upper;  // proof: loss-tail-chords
      if (is_infinite || answers_[i].lower == infinity) answers_[i] = exactly({infinity, infinity});
      if (!(points[i] >= largest)) continue;
      answers_[i] = exactly({infinite.lower(), infinite.upper()});
      answers_[i].converged = infinite.upper() - infinite.lower() <= kind.allowed(answers_[i], limits, deviation_);
    }
  }

  std::vector<Answer> solve() {
    if (kind_.is_tail)
      solve_below_floor(), solve_by_large_losses(), solve_tails();
    else
      solve_quantiles();
    return std::move(answers_);
  }

 private:
  // Tails likely to be below the floor, from delta there and a nat of its fall before, each known to be below.
  void solve_below_floor() {
    Limits limits = limits_;
    limits.smallest = 1e-3 * limits_.floor();
    CurvePoints curve(direction_, nullptr, limits, ranges::epsilon.high);
    std::vector<WantedPoint> wanted;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (answers_[i].converged) continue;
      const FarBelow far(saddlepoint_, points_[i], limits.smallest);
      if (!(far.log_delta < math::log(limits.smallest))) continue;
      for (const double before : {0.0, std::min(points_[i], 1 / (1 + far.at.tilt))})
        wanted.push_back({points_[i] - before, 0.5});
    }
    if (curve.ask(std::move(wanted))) take(curve);
  }

  // Of rarely sampled steps, by the one that loses much.
  void solve_by_large_losses() {
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged && !kind_.place(saddlepoint_, points_[i]).regular)
        narrow(i, tail_by_large_losses(direction_, saddlepoint_, points_[i], limits_.tolerance));
  }

  // From deltas about the loss.
  void solve_tails() {
    CurvePoints curve(direction_, reverse_, {limits_.tolerance, limits_.memory_limit}, farthest_loss);
    const std::vector<double> rates = fall_rates(curve);
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<WantedPoint> wanted;
      for (std::size_t i = 0; i < points_.size(); ++i)
        if (!answers_[i].converged) add_points(i, rates[i], round, curve, wanted);
      const bool is_served = !wanted.empty() && curve.ask(std::move(wanted));
      if (!take(curve) || !is_served) break;
    }
    explain(curve);
  }

  void solve_quantiles() {
    CurvePoints curve(direction_, reverse_, {limits_.tolerance, limits_.memory_limit}, farthest_loss);
    std::vector<std::size_t> open;
    std::vector<SoughtQuantile> sought;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (answers_[i].lower == infinity) continue;
      const Interval tail = rest_of(points_[i]);
      const double about = kind_.place(saddlepoint_, points_[i]).epsilon;
      const Interval guess = likely_quantile(direction_, tail.lower, about, deviation_, limits_.memory_limit);
      open.push_back(i), sought.push_back({tail, guess, limits_.tolerance * deviation_});
    }
    if (open.empty()) return;
    const std::vector<Interval> found = quantiles_by_deltas(curve, deviation_, sought);
    for (std::size_t k = 0; k < open.size(); ++k) narrow(open[k], found[k]);
    explain(curve);
  }

  void explain(const CurvePoints& curve) {
    for (Answer& answer : answers_)
      if (!answer.converged) curve.explain(answer);
  }

  // What is known of the curve; whether an answer is narrower by it.
  bool take(const CurvePoints& curve) {
    const KnownCurve known(curve.points());
    bool is_narrower = false;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged && narrow(i, tail_between(known, points_[i]))) is_narrower = true;
    return is_narrower;
  }

  bool narrow(std::size_t i, const Interval& found) {
    Answer& answer = answers_[i];
    const auto [lower, upper] = both({answer.lower, answer.upper}, found);
    const bool is_narrower = lower > answer.lower || upper < answer.upper;
    answer.lower = lower, answer.upper = upper;
    answer.converged = upper - lower <= kind_.allowed(answer, limits_, deviation_);
    if (answer.converged) answer.limited_by = {};
    return is_narrower;
  }

  // How fast each tail falls: by the moments, or by two deltas where these do not decide it.
  std::vector<double> fall_rates(CurvePoints& curve) const {
    std::vector<double> rates;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Saddle at = kind_.place(saddlepoint_, points_[i]);
      rates.push_back((0.8 + std::fabs(at.tilt) * at.deviation) / at.deviation);
      if (!at.regular && !answers_[i].converged && points_[i] > 0)
        if (const double found = curve.fall(points_[i] * (1 - 1.0 / 16), points_[i]); found > 0) rates[i] = found;
    }
    return rates;
  }

  // Chords of length h leave h r of a tail that falls at the rate r, about, and what delta is off by 2 / (h (1 + r)).
  void add_points(std::size_t i, double rate, int round, const CurvePoints& curve,
                  std::vector<WantedPoint>& wanted) const {
    const double part = 0.3 * limits_.tolerance / (1 << 2 * round);
    const double length = std::min(part / rate, points_[i] - curve.least());
    const double tolerance = 0.25 * part * length * (1 + rate);
    for (const double away : {0, -1, 1, -2, 2}) {
      const double loss = points_[i] + away * length;
      if (loss >= curve.least() && tolerance >= least_tolerance)
        wanted.push_back({loss, std::min(most_tolerance, tolerance)});
    }
  }

  const Kind& kind_;
  const Direction& direction_;
  const Direction* reverse_;  // which knows the curve at negative losses; null if there is none to ask
  Saddlepoint saddlepoint_;
  std::span<const double> points_;
  Limits limits_;
  double deviation_;
  std::vector<Answer> answers_;
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
  // Losses off by so little in the end that the rounding of the mechanism's own parameters counts as much.
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
    return Solver(kind, merged.terms, reverse, points, std::move(answers), limits).solve();
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

Interval tail_between(const KnownCurve& known, double epsilon) {
  const auto at = std::lower_bound(known.points.begin(), known.points.end(), epsilon,
                                   [](const CurvePoint& point, double loss) { return point.loss < loss; });
  if (at == known.points.end() || at->loss != epsilon) return {0, 1};
  return known.tail(static_cast<std::size_t>(at - known.points.begin()));
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

}  // namespace hockeystick
