// SPDX-License-Identifier: Apache-2.0
#include "run/ask.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "plan/tuning.hpp"
#include "pld/tradeoff.hpp"
#include "run/apart.hpp"
#include "run/by_moments.hpp"
#include "run/enclosing.hpp"
#include "run/known_alone.hpp"
#include "run/view_rows.hpp"
#include "views/loss_laws.hpp"

namespace hockeystick {
namespace {

using Ways = std::span<const Direction>;
using Points = std::span<const double>;
using Answers = std::vector<Answer>;

using Row = ViewRow;

// Asks a run of pairs: those that dominate, or those of a side. `of` gives the directions of an adjacency.
template <class Of>
Answers asked(const Row& row, std::size_t adjacency, Points points, const Limits& limits, const Of& of,
              Ways reverses = {}) {
  const auto directions = of(adjacency);
  if (row.alone != nullptr) return row.alone(*directions, points, limits);
  // The Bayes risk at a prior p above 1/2 is that of the reverse at 1 - p.
  if (row.view == View::bayes_risk && reversed(adjacency) != adjacency)
    return row.faced(*directions, *of(reversed(adjacency)), points, limits);
  return row.faced(*directions, reverses, points, limits);
}

// Bounds that hold for every run.
Interval trivial(const Row& row, double point) {
  switch (row.wanted) {
    case Wanted::power:
      return {point, 1};
    case Wanted::risk:
      return {0, std::min(point, complement(point, 1))};
    case Wanted::delta:
      return {0, 1};
    default:
      return {row.view == View::loss_quantile ? -infinity : 0, row.view == View::loss_tail ? 1 : infinity};
  }
}

Answer nothing_told(const Row& row, double point) {
  Answer answer = enclosed(trivial(row, point), {});
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
  question.runs = 0;
  for (const DescribedTerm& term : dominating)
    if (!is_exact(*term.mechanism)) question.runs += term.count;
  question.has_costly_cells = std::any_of(terms.begin(), terms.end(), [](const DescribedTerm& term) {
    return !is_exact(*term.mechanism) && term.mechanism->kind->enclosure->run_above != nullptr;
  });
  return question;
}

// Asks terms without an exact pair, from above and from below. `only`: one comparison of neighbours, in place of those
// of the adjacency.
Answers between_sides(const Run::Terms& terms, const Row& row, std::size_t adjacency, Points points,
                      const Limits& limits, std::span<const Comparison> only = {}) {
  const auto ways = [&](std::size_t which) { return only.empty() ? adjacencies[which].comparisons : only; };
  if (row.wanted == Wanted::epsilon) check_each("delta", points, ranges::delta);
  if (row.wanted == Wanted::delta) check_each("epsilon", points, ranges::epsilon);
  if (points.empty()) return {};
  // A side that takes more work than is left, most of it while its pairs are made, bounds nothing.
  const WorkLimit work(work_of(points.size()));
  const EnclosedQuestion question = question_of(terms, row, limits);
  const std::span<const Comparison> comparisons = ways(adjacency);
  Apart apart(comparisons);
  const auto side = [&](auto* runs, double Interval::* end) {
    return [&, runs, end](const SideAccuracy& at, Points some) {
      Limits of_side = limits;
      of_side.tolerance = at.tolerance;
      Answers found;
      for (const double point : some) found.push_back(nothing_told(row, point));
      try {
        if (question.closes && row.alone != nullptr && at.aspect == Aspect::curve)
          found = apart.ask(some, end, at.tolerance, [&](Points each, std::span<const Comparison> way) {
            return row.alone(runs(terms, way, at), each, of_side);
          });
        else
          found = asked(row, adjacency, some, of_side, [&](std::size_t which) {
            return std::make_unique<std::vector<Direction>>(runs(terms, ways(which), at));
          });
      } catch (const OverWork&) {
      }
      return found;
    };
  };
  const std::vector<Interval> known = known_alone(terms, row.wanted, comparisons, points, limits.tolerance);
  return enclosed_answers(question, points, side(runs_above, &Interval::upper), side(runs_below, &Interval::lower),
                          known);
}

// Marks an answer as converged if it meets the tolerance or is a probability below the floor.
void settle(const Row& row, const Limits& limits, Answer& answer) {
  const bool is_lost = may_be_tiny(row.wanted) && answer.upper <= limits.floor();
  if (is_lost || is_tight(answer.lower, answer.upper, limits.tolerance, false))
    answer.converged = true, answer.limited_by = {};
}

// Narrows the answers at `which` by the answers to the same question asked in another way, or about a run that costs
// more.
enum class Known { both_ends, above };
void narrow(const Row& row, std::span<const std::size_t> which, const Answers& known, Known ends, const Limits& limits,
            Answers& answers) {
  const bool falls = row.wanted == Wanted::risk;
  for (std::size_t k = 0; k < which.size(); ++k) {
    Answer& answer = answers[which[k]];
    if (ends == Known::both_ends || falls) answer.lower = std::max(answer.lower, known[k].lower);
    if (ends == Known::both_ends || !falls) answer.upper = std::min(answer.upper, known[k].upper);
    settle(row, limits, answer);
  }
}

std::vector<std::size_t> all_of(Points points) {
  std::vector<std::size_t> which(points.size());
  std::iota(which.begin(), which.end(), std::size_t{0});
  return which;
}

// Epsilon or delta in one comparison of neighbours.
Answers in_comparison(const Run& run, const Row& row, Comparison way, Points points, const Limits& limits) {
  if (!run.is_exact()) return between_sides(run.terms(), row, 0, points, limits, std::array{way});
  return row.alone(std::array{run.pairs(way)}, points, limits);
}

// Tails and quantiles of the loss of terms without an exact pair, from the run's curve in one comparison.
Answers by_curve(const Run& run, const Row& row, Comparison way, Points points, const Limits& limits) {
  // Chords leave open some ten times as much of a tail, and a tail is some hundred times a delta.
  Limits closer = limits;
  closer.tolerance = std::max(0.1 * limits.tolerance, 1e-5);
  const std::shared_ptr<const Run> whole = run.unsampled();
  const auto deltas = [&](bool of_reverse, Points at, const Limits& wanted) {
    const Comparison one = of_reverse ? reversed(way) : way;
    Limits how = closer;
    how.smallest = std::max(1e-3 * limits.smallest, wanted.enough), how.memory_limit = wanted.memory_limit;
    if (wanted.tolerance >= most_tolerance) how.tolerance = std::max(closer.tolerance, most_tolerance);
    Answers found = in_comparison(run, row_of(View::delta), one, at, how);
    if (whole != nullptr)
      narrow(row_of(View::delta), all_of(at), in_comparison(*whole, row_of(View::delta), one, at, how), Known::above,
             how, found);
    return found;
  };
  const EnclosedQuestion question = question_of(run.terms(), row_of(View::delta), closer);
  const SideAccuracy rough = first_accuracy(question);
  try {
    double infinite = 0;
    for (const Direction& below : runs_below(run.terms(), std::array{way}, rough))
      infinite = std::max(infinite, infinity_mass(below).lower());  // proof: loss-tail-chords
    const Direction about = runs_above(run.terms(), std::array{way}, rough).front();
    return row.between({about, deltas, closer.tolerance, infinite, question.closes}, points, limits);
  } catch (const OverWork&) {
    Answers found;
    for (const double point : points) found.push_back(nothing_told(row, point));
    return found;
  }
}

// Whether P(L > loss) may be above `tail`: by a rough look at the curve it is at most delta(loss - x) / (1 - e^-x). The
// order of two deltas and that of the two tails differ little unless tails are small and losses large.
bool may_exceed(const Run& run, Comparison way, double loss, double tail, Limits limits) {
  const double x = std::min(4.0, tail < 1e-6 ? loss / 4 : 4);
  if (!(loss >= x && x > 0 && loss <= ranges::epsilon.high)) return true;
  limits.tolerance = std::max(limits.tolerance, 0.1);
  const Answer found = in_comparison(run, row_of(View::delta), way, std::array{loss - x}, limits).front();
  return found.upper > tail * -math::expm1(-x) * (1 - 16 * u);  // proof: loss-tail-chords
}

// The law of the loss of terms without an exact pair.
Answers loss_between_sides(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits) {
  if (row.view == View::loss_variance) {
    const Run::Terms& terms = run.terms();
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
    std::vector<std::size_t> which = all_of(points);
    std::erase_if(which, [&](std::size_t k) {
      return !worst.empty() && !(is_tail ? may_exceed(run, way, points[k], worst[k].lower, limits)
                                         : may_exceed(run, way, worst[k].lower, rest_of(points[k]).lower, limits));
    });
    std::vector<double> open;
    for (const std::size_t k : which) open.push_back(points[k]);
    const Answers found = open.empty() ? Answers{} : by_curve(run, row, way, open, limits);
    if (worst.empty()) worst = found;
    for (std::size_t k = 0; k < which.size(); ++k)
      worst[which[k]] = worse(worst[which[k]], found[k], [](const Answer&) { return false; });
  }
  return worst;
}

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

// Whether delta(0) alone is asked: a distance of two distributions, which does not depend on their order.
bool is_of_either_order(const Run& run, const Row& row, Points points) {
  return row.view == View::delta && std::all_of(points.begin(), points.end(), [](double at) { return at == 0; }) &&
         run.parts().empty() &&
         std::none_of(run.terms().begin(), run.terms().end(), [](const auto& term) { return term.mechanism->own; });
}

Answers ask_once(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits) {
  if (is_of_either_order(run, row, points)) {
    const Comparison way = adjacencies[adjacency].comparisons.front(), back = is_backward(way) ? way : reversed(way);
    Answers answers;
    // Losses where a record is added end, so that a line of moments may tell them at once.
    for (const auto& [one, most] : {std::pair(back, tuning::cheap), {reversed(back), infinity}, {back, infinity}}) {
      const WorkLimit work(most);
      Answers found = in_comparison(run, row, one, points, limits);
      if (!answers.empty()) narrow(row, all_of(points), answers, Known::both_ends, limits, found);
      answers = std::move(found);
      if (std::all_of(answers.begin(), answers.end(), [](const Answer& each) { return each.converged; })) break;
    }
    return answers;
  }
  if (!run.is_exact_in(adjacency))
    return row.wanted == Wanted::loss ? loss_between_sides(run, row, adjacency, points, limits)
                                      : between_sides(run.terms(), row, adjacency, points, limits);
  const View view = row.view;
  const bool is_faced =
      view == View::power || view == View::gdp_mu || view == View::loss_tail || view == View::loss_quantile;
  const std::vector<Direction> reverses = is_faced ? run.reverses(adjacency) : std::vector<Direction>{};
  return asked(row, adjacency, points, limits, [&](std::size_t which) { return run.directions(which); }, reverses);
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
  // Renyi divergences are no closer where both sides are known.
  const auto is_open = [&](std::size_t i) {
    return !answers[i].converged &&
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
  Answers answers = ask_once(run, row, counted, points, limits);
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
