// SPDX-License-Identifier: Apache-2.0
#include "run/ask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "methods/budgeted.hpp"
#include "pld/loss_tail.hpp"
#include "pld/tradeoff.hpp"
#include "run/ask_once.hpp"
#include "run/by_moments.hpp"

namespace hockeystick {
namespace {

using Row = ViewRow;

// The answers about the worse of two runs at each point. The worse run has the smaller Bayes risk.
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

// Whether both ends are known, so that theory alone limits the answer.
bool is_limited_by_theory(const Answer& answer) {
  return answer.limited_by == "theory" && std::isfinite(answer.lower) && std::isfinite(answer.upper);
}

template <class IsOpen>
std::pair<std::vector<std::size_t>, std::vector<double>> open_of(const Answers& answers, Points points,
                                                                 const IsOpen& is_open) {
  std::vector<std::size_t> which;
  std::vector<double> open;
  for (std::size_t k = 0; k < answers.size(); ++k)
    if (is_open(answers[k], points[k])) which.push_back(k), open.push_back(points[k]);
  return {which, open};
}

// Answers a question, and takes deltas next to epsilon 0 from delta(0): the curve is nearly constant there, and
// delta(0) is a distance of two distributions, which often takes little work.
Answers ask_from_zero(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits) {
  const auto is_near = [&](double at) { return 0 < at && at <= limits.tolerance / 16; };
  if (row.view != View::delta || !limits.method.empty() || std::none_of(points.begin(), points.end(), is_near))
    return ask_once(run, row, adjacency, points, limits);
  Limits closer = limits;
  closer.tolerance = 0.75 * limits.tolerance;
  Answers answers(points.size(), ask_once(run, row, adjacency, std::array{0.0}, closer).front());
  for (std::size_t k = 0; k < points.size(); ++k) {
    Answer& answer = answers[k];
    const Interval ends =
        is_near(points[k]) ? delta_from_zero({answer.lower, answer.upper}, points[k]) : Interval{0, 1};
    answer.lower = ends.lower, answer.upper = ends.upper, answer.converged = false;
    settle(row, limits, answer);
  }
  const auto [which, open] = open_of(answers, points, [](const Answer& answer, double) { return !answer.converged; });
  const Answers found = ask_once(run, row, adjacency, open, limits);
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Answer near = std::exchange(answers[which[k]], found[k]);
    narrow(row, std::array{which[k]}, {near}, Known::both_ends, limits, answers);
  }
  return answers;
}

// A refusal between sides takes the best bounds of looser tolerances, as a refusal of pairs that dominate already does.
void take_looser(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits,
                 Answers& answers) {
  const auto [which, open] = open_of(answers, points, [&](const Answer& answer, double) {
    return !answer.converged && !is_limited_by_theory(answer);
  });
  if (open.empty() || run.is_exact_in(adjacency) || !limits.method.empty()) return;
  const WorkLimit work(work_of(open.size()));
  Answers found;
  for (const std::size_t k : which) found.push_back(answers[k]);
  LooserTolerances looser(open, found, limits.tolerance);
  while (looser.next()) {
    // What is as close already comes no closer; quantiles are as close as asked relative to a deviation.
    if (row.view != View::loss_quantile && std::all_of(found.begin(), found.end(), [&](const Answer& each) {
          return is_tight(each.lower, each.upper, looser.tolerance(), false);
        }))
      continue;
    Limits at = limits;
    at.tolerance = looser.tolerance();
    Answers next = ask_once(run, row, adjacency, looser.points(), at);
    for (Answer& each : next) each.converged = each.converged || is_limited_by_theory(each);
    looser.take(next, [](const Answer&) { return false; });
  }
  narrow(row, which, found, Known::both_ends, limits, answers);
}

// Whether the step on all records may bound more closely than an answer about a sample with this part of the records:
// where the answer is wide, where most records are in the sample, or where losses are so large that half of the records
// lose nearly as much. The sample loses less by about log 2, which is 1 part in 50 of such losses.
bool may_be_closer(const Row& row, const Answer& answer, double point, double part) {
  const double least = row.wanted == Wanted::power ? point : 0;  // a true positive rate counts from that of a guess on
  if (!answer.converged || part > 0.5 || answer.lower - least < 0.99 * (answer.upper - least)) return true;
  return row.wanted == Wanted::risk || answer.upper > (trivial(row, 0.5).upper == 1 ? 0.5 : 50);
}

// The largest part of the records in a sample; a scheme that is no Poisson sample may hold all records.
double largest_part(const Run& run) {
  double part = 0;
  for (const auto& each : run.parts()) part = std::max(part, largest_part(*each));
  for (const auto& [one, count] : run.terms())
    if (!at_most(*one).empty()) part = std::max(part, is_exact(*one) && one->inner ? one->number(0) : 1.0);
  return part;
}

// A run costs at most as much as without sampling.
void take_unsampled(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits,
                    Answers& answers) {
  if (row.wanted == Wanted::loss) return;  // one outcome may lose more with sampling, and another less
  const double part = largest_part(run);
  if (part == 0) return;
  const auto [which, open] = open_of(
      answers, points, [&](const Answer& answer, double point) { return may_be_closer(row, answer, point, part); });
  if (open.empty()) return;
  const std::shared_ptr<const Run> whole = run.unsampled();
  if (whole == nullptr) return;
  try {
    narrow(row, which, ask(*whole, row.view, adjacency, open, limits), Known::above, limits, answers);
  } catch (const NoPair&) {  // the run on all records has none for these neighbours
  }
}

// Upper ends of epsilon and delta by Renyi divergences, where no other bound is closer.
void take_moments(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits,
                  Answers& answers) {
  const bool wants_epsilon = row.view == View::epsilon;
  // Renyi divergences are no closer where both sides are known, or where the ends are within a percent of each other.
  const auto is_open = [&](std::size_t i) {
    return !answers[i].converged && !(answers[i].lower > 0.99 * answers[i].upper) &&
           !(is_limited_by_theory(answers[i]) && !(wants_epsilon && points[i] < smallest_delta));
  };
  bool any = false;
  for (std::size_t i = 0; i < answers.size(); ++i) any = any || is_open(i);
  if ((!wants_epsilon && row.view != View::delta) || !limits.method.empty() || !any) return;
  // Epsilon falls with delta: a delta that is no double has at least the epsilon of the smallest one.
  std::optional<double> of_smallest;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!wants_epsilon || answers[i].converged || !(0 < points[i] && points[i] < smallest_delta)) continue;
    if (!of_smallest) of_smallest = ask_once(run, row, adjacency, std::array{smallest_delta}, limits).front().lower;
    answers[i].lower = std::max(answers[i].lower, *of_smallest);
  }
  Limits loose = limits;
  loose.tolerance = std::max(limits.tolerance, 0.01);
  bound_by_moments(
      points, wants_epsilon,
      [&](Points orders) { return ask_once(run, row_of(View::renyi), adjacency, orders, loose); }, answers);
  for (Answer& answer : answers) settle(row, limits, answer);
}

}  // namespace

std::vector<Answer> ask(const Run& run, View view, std::size_t adjacency, Points points, const Limits& limits) {
  if (view == View::tradeoff) {
    Answers rates = ask(run, View::power, adjacency, points, limits);
    for (Answer& each : rates)
      std::tie(each.lower, each.upper) = std::pair(complement(each.upper, 0), complement(each.lower, 1));
    return rates;
  }
  const Row& row = row_of(view);
  // mu counts both directions even if one is asked for.
  const std::size_t counted = view == View::gdp_mu ? symmetric(adjacency) : adjacency;
  if (!run.is_exact_in(counted) && !run.parts().empty()) {
    Answers worst = ask(*run.parts().front(), view, adjacency, points, limits);
    for (std::size_t k = 1; k < run.parts().size(); ++k)
      take_worse(row, ask(*run.parts()[k], view, adjacency, points, limits), limits.tolerance, worst);
    return worst;
  }
  Answers answers = ask_from_zero(run, row, counted, points, limits);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    const Interval ends = trivial(row, points[k]);
    answers[k].lower = std::max(answers[k].lower, ends.lower),
    answers[k].upper = std::min(answers[k].upper, ends.upper);
  }
  take_looser(run, row, counted, points, limits, answers);
  take_unsampled(run, row, counted, points, limits, answers);
  take_moments(run, row, counted, points, limits, answers);
  if (run.is_exact_in(counted) || question_of(run.terms(), row, limits).closes) return answers;
  for (Answer& each : answers)
    if (each.limited_by == "passes") each.limited_by = "theory";  // the sides do not meet
  return answers;
}

}  // namespace hockeystick
