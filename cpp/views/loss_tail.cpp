// SPDX-License-Identifier: Apache-2.0
#include "views/loss_tail.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
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
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/grid_interval.hpp"
#include "pld/loss_tail.hpp"
#include "views/curve_points.hpp"
#include "views/loss_laws.hpp"
#include "views/quantile_by_deltas.hpp"
#include "views/refine_interval.hpp"

namespace hockeystick {
namespace {

// For tail probabilities below this, a tilt is chosen for each group of tails within a few nats.
constexpr double rare = 1e-6, shared_nats = 8;

constexpr int most_rounds = 6;                // of deltas
constexpr std::size_t small_grids = 1 << 27;  // [bytes], that cost less than deltas by any method
constexpr double least_tolerance = 2e-12;     // at which contours may know them
constexpr double twelve_digits = 1e-12;       // of a quantile: its own rounding counts as much

// A kind of question: the quantity at a point of one direction, and the width that its answers may have.
struct Kind {
  double (*log_tail)(const Saddlepoint&, double point);  // forecast of log P(L > t) at the answer
  Saddle (*place)(const Saddlepoint&, double point);     // forecast of t at the answer
  Interval (*ask)(const CurveKinks& above, const CurveTable& below, double point);
  Interval (*gaussian)(double mu, double mu_error, double point);
  Interval (*listed)(const Enumeration& sums, double point);
  Interval (*joined)(const Participations& run, double point);
  Interval start, nothing;                                        // before anything is known; for loss 0
  double (*allowed)(const Answer&, const Limits&, double scale);  // width
  bool relative;                                                  // the width is relative to the tail probability
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
    infinity_mass_ = infinite.upper();
    if (!kind.relative) return;
    const double largest = largest_finite_loss(direction);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!(points[i] >= largest)) continue;
      answers_[i] = exactly({infinite.lower(), infinite.upper()});
      answers_[i].converged = infinite.upper() - infinite.lower() <= kind.allowed(answers_[i], limits, deviation_);
    }
  }

  std::vector<Answer> solve() {
    if (kind_.relative)
      solve_below_floor(), solve_tails(), solve_by_large_losses();
    else
      solve_quantiles();
    const std::size_t memory = std::exchange(limits_.memory_limit, std::min(limits_.memory_limit, small_grids));
    solve_by_grids();
    if (std::exchange(limits_.memory_limit, memory) < memory) solve_by_grids();
    return std::move(answers_);
  }

 private:
  void solve_by_grids() {
    if (is_off("view_grids")) return;
    std::vector<std::size_t> common;
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged &&
          (infinity_mass_ > rare || kind_.log_tail(saddlepoint_, points_[i]) > math::log(rare)))
        common.push_back(i);
    if (!common.empty()) solve(common, math::log(rare), false);
    if (kind_.relative) solve_together();
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (answers_[i].converged) continue;
      const bool tried = !answers_[i].limited_by.empty() && kind_.relative;
      const double log_tail = tried ? math::log(answers_[i].upper) : kind_.log_tail(saddlepoint_, points_[i]);
      solve(std::array{i}, std::min(log_tail, -1.0), true);
      if (kind_.relative && !answers_[i].converged) solve_by_buckets(i);
    }
  }

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
      if (!answers_[i].converged)
        narrow(i, tail_by_large_losses(direction_, saddlepoint_, points_[i], limits_.tolerance));
  }

  // From deltas about the loss.
  void solve_tails() {
    CurvePoints curve(direction_, nullptr, {limits_.tolerance, limits_.memory_limit}, ranges::epsilon.high);
    const std::vector<double> rates = fall_rates(curve);
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<WantedPoint> wanted;
      for (std::size_t i = 0; i < points_.size(); ++i)
        if (!answers_[i].converged) add_points(i, rates[i], round, wanted);
      const bool is_served = !wanted.empty() && curve.ask(std::move(wanted));
      if (!take(curve) || !is_served) return;
    }
  }

  void solve_quantiles() {
    CurvePoints curve(direction_, reverse_, {limits_.tolerance, limits_.memory_limit}, ranges::epsilon.high);
    std::vector<SoughtQuantile> sought;
    for (const double level : points_) {
      const double tail = rest_of(level).lower, about = kind_.place(saddlepoint_, level).epsilon;
      const Interval guess = likely_quantile(direction_, tail, about, deviation_, limits_.memory_limit);
      sought.push_back({rest_of(level), guess, limits_.tolerance * deviation_});
    }
    std::size_t i = 0;
    for (const Interval& found : quantiles_by_deltas(curve, deviation_, sought)) narrow(i++, found);
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
  void add_points(std::size_t i, double rate, int round, std::vector<WantedPoint>& wanted) const {
    const double part = 0.3 * limits_.tolerance / (1 << 2 * round), length = std::min(part / rate, points_[i]);
    const double tolerance = 0.25 * part * length * (1 + rate);
    for (const double away : {0, -1, 1, -2, 2}) {
      const double loss = points_[i] + away * length;
      if (loss >= 0 && tolerance >= least_tolerance) wanted.push_back({loss, std::min(0.1, tolerance)});
    }
  }

  // Rare tails of about one size share the tilt of the smallest; tails that this leaves too wide get their own.
  void solve_together() {
    std::vector<std::pair<double, std::size_t>> open;  // by increasing tail
    for (std::size_t i = 0; i < points_.size(); ++i)
      if (!answers_[i].converged && answers_[i].limited_by.empty())
        open.emplace_back(std::min(kind_.log_tail(saddlepoint_, points_[i]), -1.0), i);
    sort_by(open, [](const auto& each) { return each.first; });
    for (std::size_t from = 0, end; from < open.size(); from = end) {
      std::vector<std::size_t> group;
      for (end = from; end == from || (end < open.size() && open[end].first <= open[from].first + shared_nats); ++end)
        group.push_back(open[end].second);
      if (group.size() > 1) solve(group, open[from].first, true);
    }
  }

  void solve(std::span<const std::size_t> which, double log_tail, bool tilted) {
    const Refinement refinement = refined(log_tail, tilted, interval_for_quantile);
    refine_interval(direction_, refinement, limits_, answers_, which, allowed(),
                    [&](const PldPair& pair, const Take& take) {
                      const CurveKinks above = certified_kinks(pair.upper);
                      const CurveTable below(pair.lower);
                      for (const std::size_t i : which) take(i, kind_.ask(above, below, points_[i]));
                    });
  }

  // From losses rounded to the grid, by half an interval per step. Atoms on the grid do not move, so the tail is known
  // right next to them.
  void solve_by_buckets(std::size_t i) {
    const double log_tail = std::min(math::log(std::max(answers_[i].upper, 1e-300)), -1.0);
    Refinement refinement = refined(log_tail, true, interval_for_buckets);
    refinement.estimator = Estimator::privacy_buckets;
    refine_interval(direction_, refinement, limits_, answers_, std::array{i}, allowed(),
                    [&](const PldPair& pair, const Take& take) {
                      take(i, {bucket_tail(pair.lower, points_[i]), bucket_tail(pair.upper, points_[i])});
                    });
  }

  Refinement refined(double log_tail, bool tilted, double (*interval_for)(const Saddlepoint&, double)) const {
    const double tilt = tilted ? saddlepoint_.chernoff_quantile(0, -log_tail, 1, 40 / deviation_).tilt : 0.0;
    const double slope = kind_.relative ? std::max(tilt, 1 / deviation_) : 1 / deviation_;
    const double interval = interval_for(saddlepoint_, limits_.tolerance / slope);
    const double tail_mass = 1e-3 * limits_.tolerance * math::exp(std::max(log_tail, -600.0));
    return {interval, tail_mass, std::min(tilt, 0.5 / interval), 1};
  }

  AllowedWidth allowed() const {
    return [this](const Answer& answer) { return kind_.allowed(answer, limits_, deviation_); };
  }

  const Kind& kind_;
  const Direction& direction_;
  const Direction* reverse_;  // which knows the curve at negative losses; null if there is none to ask
  Saddlepoint saddlepoint_;
  std::span<const double> points_;
  Limits limits_;
  double deviation_;
  double infinity_mass_ = 0;  // upper bound
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
    if (!joined) break;
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
  return budgeted(directions, points, limits, kind.start, [&](std::span<const double> at, const Limits& within) {
    return worst_direction(kind, directions, reverses, at, within);
  });
}

Interval ask_tail(const CurveKinks& above, const CurveTable& below, double epsilon) {
  return loss_tail(above, below.delta(epsilon).value, epsilon);
}

Interval ask_quantile(const CurveKinks& above, const CurveTable& below, double level) {
  const auto [least, most] = rest_of(level);
  return {loss_tail_quantile(above, below, most).lower, loss_tail_quantile(above, below, least).upper};
}

Interval tail_between(const KnownCurve& known, double epsilon) {
  const auto at = std::lower_bound(known.points.begin(), known.points.end(), epsilon,
                                   [](const CurvePoint& point, double loss) { return point.loss < loss; });
  if (at == known.points.end() || at->loss != epsilon) return {0, 1};
  return known.tail(static_cast<std::size_t>(at - known.points.begin()));
}

const Kind tail_kind{
    [](const Saddlepoint& saddlepoint, double epsilon) { return saddlepoint.saddle_for_epsilon(epsilon).log_delta; },
    [](const Saddlepoint& saddlepoint, double epsilon) { return saddlepoint.saddle_for_epsilon(epsilon); },
    &ask_tail,
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
    [](const Saddlepoint&, double level) { return math::log(std::max(1 - level, 1e-17)); },
    [](const Saddlepoint& saddlepoint, double level) {
      return level < 0.5 ? saddlepoint.saddle_for_rate(level, -1, 0) : saddlepoint.saddle_for_rate(1 - level, 1, 0);
    },
    &ask_quantile,
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

std::vector<Answer> loss_tail_bounds(std::span<const Direction> directions, std::span<const double> epsilons,
                                     const Limits& limits) {
  check_each("epsilon", epsilons, ranges::epsilon);
  return worst(tail_kind, directions, {}, epsilons, limits);
}

std::vector<Answer> loss_quantile_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                         std::span<const double> levels, const Limits& limits) {
  check_each("level", levels, ranges::inner_probability);
  return worst(quantile_kind, directions, reverses, levels, limits);
}

}  // namespace hockeystick
