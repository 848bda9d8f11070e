// SPDX-License-Identifier: Apache-2.0
#include "run/ask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "plan/tuning.hpp"
#include "pld/tradeoff.hpp"
#include "run/by_moments.hpp"
#include "run/enclosing.hpp"
#include "run/known_alone.hpp"
#include "run/loss_by_curve.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"

namespace hockeystick {
namespace {

using Ways = std::span<const Direction>;
using Points = std::span<const double>;
using Answers = std::vector<Answer>;

// What a question asks of a run, and which reverses of the directions help to answer it.
struct Row {
  View view;
  Wanted wanted;
  Answers (*alone)(Ways, Points, const Limits&) = nullptr;
  Answers (*faced)(Ways, Ways reverses, Points, const Limits&) = nullptr;
};

constexpr Row rows[] = {
    {View::epsilon, Wanted::epsilon, epsilon_bounds},
    {View::delta, Wanted::delta, delta_bounds},
    {View::power, Wanted::power, nullptr, power_bounds},
    {View::bayes_risk, Wanted::risk, nullptr, bayes_risk_bounds},
    {View::gdp_mu, Wanted::rates, nullptr, gdp_bounds},
    {View::renyi, Wanted::moments, renyi_bounds},
    {View::zcdp, Wanted::moments, zcdp_bounds},
    {View::loss_tail, Wanted::loss, nullptr, loss_tail_bounds},
    {View::loss_quantile, Wanted::loss, nullptr, loss_quantile_bounds},
    {View::loss_variance, Wanted::loss, loss_variance_bounds},
};

// Asks the run of pairs that dominate, or of a side, whose directions `of` gives for an adjacency.
template <class Of>
Answers asked(const Row& row, std::size_t adjacency, Points points, const Limits& limits, const Of& of,
              Ways reverses = {}) {
  const auto directions = of(adjacency);
  if (row.alone != nullptr) return row.alone(*directions, points, limits);
  // The answer at priors above 1/2 is that of the reverse at the others.
  if (row.view == View::bayes_risk && reversed(adjacency) != adjacency)
    return row.faced(*directions, *of(reversed(adjacency)), points, limits);
  // A side's own reverses tell its curve at negative losses.
  const bool is_side = reverses.empty() && row.view != View::bayes_risk;
  if (!is_side) return row.faced(*directions, reverses, points, limits);
  return row.faced(*directions, reverses_of(*directions), points, limits);
}

Answer nothing_told(const Row& row) {
  const bool is_probability = row.wanted == Wanted::delta || row.wanted == Wanted::power || row.wanted == Wanted::risk;
  Answer answer = enclosed({0, is_probability ? 1 : infinity}, {});
  answer.converged = false, answer.limited_by = "passes";
  return answer;
}

EnclosedQuestion question_of(const Run::Terms& terms, const Row& row, const Limits& limits) {
  EnclosedQuestion question;
  question.tolerance = limits.tolerance, question.smallest = limits.smallest, question.wanted = row.wanted;
  question.closes = std::all_of(terms.begin(), terms.end(), [](const DescribedTerm& term) {
    return is_exact(*term.mechanism) || term.mechanism->kind->enclosure->closes;
  });
  const std::vector<DescribedTerm> dominating = dominating_run(terms);
  question.has_others = is_bounded_by_others(dominating);
  question.runs = 0;
  for (const DescribedTerm& term : dominating)
    if (!is_exact(*term.mechanism)) question.runs += term.count;
  return question;
}

// Asks terms that are not exact, from above and from below. `only`: one comparison of neighbours, in place of those of
// the adjacency.
Answers between_sides(const Run::Terms& terms, const Row& row, std::size_t adjacency, Points points,
                      const Limits& limits, std::span<const Comparison> only = {}) {
  const auto ways = [&](std::size_t which) { return only.empty() ? adjacencies[which].comparisons : only; };
  if (row.wanted == Wanted::epsilon) check_each("delta", points, ranges::delta);
  if (row.wanted == Wanted::delta) check_each("epsilon", points, ranges::epsilon);
  if (points.empty()) return {};
  // A side that takes more work than is left, most of it while its pairs are made, tells nothing. What needs no curve
  // is asked last, and has as much again.
  const WorkLimit whole(2 * work_of(points.size()));
  double left = 0.5 * WorkLimit::left();
  const auto side = [&](auto* runs) {
    return [&, runs](const SideAccuracy& at, Points some) {
      const WorkLimit work(at.told == Told::at_most ? WorkLimit::left() : left);
      const double given = WorkLimit::left();
      Limits of_side = limits;
      of_side.tolerance = at.tolerance;
      Answers found(some.size(), nothing_told(row));
      try {
        found = asked(row, adjacency, some, of_side, [&](std::size_t which) {
          return std::make_unique<std::vector<Direction>>(runs(terms, ways(which), at));
        });
      } catch (const OverWork&) {
      }
      if (at.told != Told::at_most) left -= given - WorkLimit::left();
      return found;
    };
  };
  const std::vector<Interval> known = known_alone(terms, row.wanted, ways(adjacency), points, limits.tolerance);
  return enclosed_answers(question_of(terms, row, limits), points, side(runs_above), side(runs_below), known);
}

const Row& row_of(View view) { return rows[static_cast<std::size_t>(view)]; }

// Tails and quantiles of the loss of terms that are not exact, from their curve in one comparison.
Answers by_curve(const Run::Terms& terms, const Row& row, Comparison way, Points points, const Limits& limits) {
  Limits closer = limits;  // chords leave some ten times as much of a tail
  closer.tolerance = std::max(0.1 * limits.tolerance, 1e-5);
  const auto asked = [&](View view, Comparison one, Points at) {
    return between_sides(terms, row_of(view), 0, at, closer, std::array{one});
  };
  const CurveOfLoss of{
      [&](bool of_reverse, Points at) { return asked(View::delta, of_reverse ? reversed(way) : way, at); },
      [&](Points at) { return asked(View::epsilon, way, at); },
      question_of(terms, row, limits).closes,
  };
  return row.view == View::loss_tail ? tails_by_curve(of, points, limits) : quantiles_by_curve(of, points, limits);
}

// The law of the loss of terms that are not exact.
Answers loss_between_sides(const Run::Terms& terms, const Row& row, std::size_t adjacency, Points points,
                           const Limits& limits) {
  if (row.view == View::loss_variance) {
    const auto first =
        std::find_if(terms.begin(), terms.end(), [](const DescribedTerm& term) { return !is_exact(*term.mechanism); });
    throw std::invalid_argument(
        "run must be of mechanisms whose privacy loss is known for the variance of its loss, got " +
        std::string(first->mechanism->kind->name));
  }
  const bool is_tail = row.view == View::loss_tail;
  check_each(is_tail ? "epsilon" : "level", points, is_tail ? ranges::epsilon : ranges::inner_probability);
  Answers worst;
  for (const Comparison way : adjacencies[adjacency].comparisons) {
    const WorkLimit work(tuning::most_work_of_deltas *
                         (1 + static_cast<double>(points.size()) / tuning::points_of_work));
    const Answers found = by_curve(terms, row, way, points, limits);
    for (std::size_t k = 0; k < worst.size(); ++k)
      worst[k] = worse(worst[k], found[k], [](const Answer&) { return false; });
    if (worst.empty()) worst = found;
  }
  return worst;
}

// The answers about the worse of two runs at each point; the smaller risk is the worse one.
void take_worse(const Row& row, const Answers& other, double tolerance, Answers& answers) {
  for (std::size_t k = 0; k < answers.size(); ++k) {
    Answer &one = answers[k], next = other[k];
    const bool falls = row.wanted == Wanted::risk;
    for (Answer* each : {&one, &next})
      if (falls) std::tie(each->lower, each->upper) = std::pair(-each->upper, -each->lower);
    one = worse(one, next, tolerance);
    if (falls) std::tie(one.lower, one.upper) = std::pair(-one.upper, -one.lower);
  }
}

// Whether what costs no less may be closer: where the answer is wide, or most records are in the sample. A sample of
// half the records costs less by more than an answer within a hundredth is wide.
bool may_be_closer(const Answer& answer, double rate) {
  return !answer.converged || rate > 0.5 || answer.lower < 0.99 * answer.upper;
}

// A run costs at most as much as its steps on all records. Sides of an enclosure have asked their own steps already.
void take_unsampled(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits,
                    bool has_pairs, Answers& answers) {
  double part = 0;  // of the records, that the largest sample holds, or a group of them
  for (const auto& [one, count] : run.terms())
    if (is_poisson_sample(*one) || (has_pairs && one->own != nullptr))
      part = std::max(part, one->own != nullptr ? 1 : one->number(0));
  if (part == 0 || row.wanted == Wanted::loss) return;
  std::vector<std::size_t> which;
  std::vector<double> open;
  for (std::size_t k = 0; k < answers.size(); ++k)
    if (may_be_closer(answers[k], part) || (row.wanted == Wanted::power && answers[k].upper == 1))
      which.push_back(k), open.push_back(points[k]);
  if (open.empty()) return;
  const Run::Terms terms = unsampled(run.terms(), true);
  if (std::equal(terms.begin(), terms.end(), run.terms().begin(), run.terms().end(),
                 [](const DescribedTerm& a, const DescribedTerm& b) { return a.mechanism == b.mechanism; }))
    return;
  Answers whole;
  try {
    SideAccuracy at;
    at.told = Told::at_most;
    whole = asked(row, adjacency, open, limits, [&](std::size_t ways) {
      return std::make_unique<std::vector<Direction>>(runs_above(terms, adjacencies[ways].comparisons, at));
    });
  } catch (const NoPair&) {  // of all records, for these neighbours
    return;
  }
  for (std::size_t k = 0; k < which.size(); ++k) {
    Answer& answer = answers[which[k]];
    if (row.wanted == Wanted::risk)
      answer.lower = std::max(answer.lower, whole[k].lower);
    else
      answer.upper = std::min(answer.upper, whole[k].upper);
    if (is_tight(answer.lower, answer.upper, limits.tolerance, false)) answer.converged = true, answer.limited_by = {};
  }
}

}  // namespace

static Answers ask_once(const Run& run, View view, std::size_t adjacency, Points points, const Limits& limits) {
  if (view == View::tradeoff) {
    Answers rates = ask(run, View::power, adjacency, points, limits);
    for (Answer& each : rates)
      std::tie(each.lower, each.upper) = std::pair(complement(each.upper, 0), complement(each.lower, 1));
    return rates;
  }
  const Row& row = row_of(view);
  // Of mu, both directions count even if one is asked for.
  const std::size_t counted = view == View::gdp_mu ? symmetric(adjacency) : adjacency;
  const bool is_exact = run.is_exact_in(counted);
  if (!is_exact && run.parts().empty()) {
    if (row.wanted == Wanted::loss) return loss_between_sides(run.terms(), row, counted, points, limits);
    Answers answers = between_sides(run.terms(), row, counted, points, limits);
    take_unsampled(run, row, counted, points, limits, false, answers);
    return answers;
  }
  if (!is_exact) {
    Answers worst = ask(*run.parts().front(), view, adjacency, points, limits);
    for (std::size_t k = 1; k < run.parts().size(); ++k)
      take_worse(row, ask(*run.parts()[k], view, adjacency, points, limits), limits.tolerance, worst);
    return worst;
  }
  const bool is_faced =
      view == View::power || view == View::gdp_mu || view == View::loss_tail || view == View::loss_quantile;
  const std::vector<Direction> reverses = is_faced ? run.reverses(counted) : std::vector<Direction>{};
  Answers answers =
      asked(row, counted, points, limits, [&](std::size_t which) { return run.directions(which); }, reverses);
  take_unsampled(run, row, counted, points, limits, true, answers);
  return answers;
}

std::vector<Answer> ask(const Run& run, View view, std::size_t adjacency, Points points, const Limits& limits) {
  Answers answers = ask_once(run, view, adjacency, points, limits);
  const bool wants_epsilon = view == View::epsilon;
  // What both sides tell is limited by theory, and divergences tell no more of it.
  bool is_open = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Answer& answer = answers[i];
    const bool is_told = answer.limited_by == "theory" && answer.lower > 0 && std::isfinite(answer.upper);
    is_open = is_open || !(answer.converged || (is_told && !(wants_epsilon && points[i] < smallest_delta)));
  }
  if ((!wants_epsilon && view != View::delta) || !limits.method.empty() || !is_open) return answers;
  // Epsilon falls with delta, and is known better where doubles do not end.
  std::optional<double> of_smallest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!wants_epsilon || answers[i].converged || !(0 < points[i] && points[i] < smallest_delta)) continue;
    if (!of_smallest) of_smallest = ask_once(run, view, adjacency, std::array{smallest_delta}, limits).front().lower;
    answers[i].lower = std::max(answers[i].lower, *of_smallest);
  }
  Limits loose = limits;
  loose.tolerance = std::max(limits.tolerance, 0.01);
  bound_by_moments(
      points, wants_epsilon, [&](Points orders) { return ask_once(run, View::renyi, adjacency, orders, loose); },
      answers);
  for (Answer& answer : answers)
    if (std::isfinite(answer.upper) && answer.upper - answer.lower <= limits.tolerance * answer.upper)
      answer.converged = true, answer.limited_by = {};
  return answers;
}

}  // namespace hockeystick
