// SPDX-License-Identifier: Apache-2.0
#include "run/ask_once.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "methods/budgeted.hpp"
#include "methods/questions.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/tuning.hpp"
#include "pld/tradeoff.hpp"
#include "run/apart.hpp"
#include "run/known_alone.hpp"
#include "views/loss_laws.hpp"
#include "views/renyi.hpp"
#include "views/zcdp.hpp"

namespace hockeystick {
using Row = ViewRow;

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

void settle(const Row& row, const Limits& limits, Answer& answer) {
  const bool is_lost = may_be_tiny(row.wanted) && answer.upper <= limits.floor();
  if (is_lost || is_tight(answer.lower, answer.upper, limits.tolerance, false))
    answer.converged = true, answer.limited_by = {};
}

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

namespace {

Answers nothing_told(const Row& row, Points points) {
  Answers answers;
  for (const double point : points) {
    answers.push_back(enclosed(trivial(row, point), {}));
    answers.back().limited_by = "passes";
  }
  return answers;
}

// Asks a run of pairs: those that dominate, or those of a side. `of` gives the directions of an adjacency.
template <class Of>
Answers asked(const Row& row, std::size_t adjacency, Points points, const Limits& limits, const Of& of,
              std::span<const Direction> reverses = {}) {
  const auto directions = of(adjacency);
  if (row.alone != nullptr) return row.alone(*directions, points, limits);
  // The Bayes risk at a prior p above 1/2 is that of the reverse at 1 - p.
  if (row.view == View::bayes_risk && reversed(adjacency) != adjacency)
    return row.faced(*directions, *of(reversed(adjacency)), points, limits);
  return row.faced(*directions, reverses, points, limits);
}

// What answered other points of a run's curve: how close its pairs were, and the last sides with their evaluators.
class KeptSides {
 public:
  KeptPairs pairs;

  template <class MakeRuns>
  Answers ask(bool is_above, const SideAccuracy& at, Points points, const Limits& limits, const MakeRuns& make_runs) {
    const auto key = std::tuple(is_above, at.cells, at.tail, at.low);
    auto side = std::find_if(sides_.begin(), sides_.end(), [&](const Side& one) { return one.key == key; });
    if (side == sides_.end()) {
      if (sides_.size() == 2) sides_.erase(sides_.begin());  // evaluators may take much memory
      const std::vector<Direction> runs = make_runs();
      side = sides_.insert(sides_.end(), {key, runs, KeptCurve(runs)});
    }
    return curve_bounds(side->runs, points, limits, &side->curve);
  }

 private:
  struct Side {
    std::tuple<bool, double, double, double> key;
    std::vector<Direction> runs;
    KeptCurve curve;
  };
  std::vector<Side> sides_;
};

// Asks terms without an exact pair, from above and from below. `only`: one comparison of neighbours, in place of those
// of the adjacency; then `kept` is of it, or null.
Answers between_sides(const Run::Terms& terms, const Row& row, std::size_t adjacency, Points points,
                      const Limits& limits, std::span<const Comparison> only = {}, KeptSides* kept = nullptr) {
  const auto ways = [&](std::size_t which) { return only.empty() ? adjacencies[which].comparisons : only; };
  if (row.wanted == Wanted::epsilon) check_each("delta", points, ranges::delta);
  if (row.wanted == Wanted::delta) check_each("epsilon", points, ranges::epsilon);
  if (points.empty()) return {};
  // A side that takes more work than is left, most of it while its pairs are made, bounds nothing.
  const WorkLimit work(work_of(points.size()));
  EnclosedQuestion question = question_of(terms, row, limits);
  if (question.closes && kept != nullptr) question.kept = &kept->pairs;
  const std::span<const Comparison> comparisons = ways(adjacency);
  Apart apart(comparisons);
  const auto side = [&](auto* runs, double Interval::* end) {
    return [&, runs, end](const SideAccuracy& at, Points some) {
      Limits of_side = limits;
      of_side.tolerance = at.tolerance;
      Answers found = nothing_told(row, some);
      try {
        if (kept != nullptr && at.aspect == Aspect::curve)
          found = kept->ask(end == &Interval::upper, at, some, of_side, [&] { return runs(terms, only, at); });
        else if (question.closes && row.alone != nullptr && at.aspect == Aspect::curve)
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

// zCDP of terms whose sides meet, in one comparison of neighbours: each order is asked of the pairs that tell its
// divergence most closely. `known`: a lower end of the answer in all comparisons.
Answer slope_by_orders(const Run& run, Comparison way, const SideAccuracy& of_moments, double largest, double known,
                       const Limits& limits) {
  Row row = row_of(View::renyi);
  row.alone = renyi_bounds_of_any_order;
  const Direction above = runs_above(run.terms(), std::array{way}, of_moments).front();
  const Direction below = runs_below(run.terms(), std::array{way}, of_moments).front();
  const auto beyond = [&](double order) {
    return Interval{slopes_beyond(below, order).lower, slopes_beyond(above, order).upper};
  };
  Limits finer = limits;
  finer.tolerance = 0.3 * limits.tolerance;
  const auto divergence = [&](double order) {
    const WorkLimit work(tuning::most_work / tuning::points_of_work);  // of a further point
    return between_sides(run.terms(), row, 0, {&order, 1}, finer, std::array{way}).front();
  };
  double fewest = infinity;
  for (const DescribedTerm& term : run.terms()) fewest = std::min(fewest, static_cast<double>(term.count));
  return largest_renyi_slope(divergence, beyond, largest, limits.tolerance, known, fewest);
}

// The same in the worst comparison: by moments alone, which tell most slopes, or else order by order.
Answers slopes_between_sides(const Run& run, std::size_t adjacency, Points largest_orders, const Limits& limits) {
  SideAccuracy of_moments = first_accuracy(question_of(run.terms(), row_of(View::zcdp), limits));
  of_moments.aspect = Aspect::moments;
  const std::span<const Comparison> ways = adjacencies[adjacency].comparisons;
  Answers answers = zcdp_bounds(runs_above(run.terms(), ways, of_moments), largest_orders, limits);
  const Answers under = zcdp_bounds(runs_below(run.terms(), ways, of_moments), largest_orders, limits);
  for (std::size_t k = 0; k < answers.size(); ++k) {
    Answer& answer = answers[k];
    answer.lower = under[k].lower;
    if (!is_within(answer, limits.tolerance)) {
      const WorkLimit work(work_of(1));
      Answer worst;
      for (const Comparison way : ways) {
        const double known = std::max(answer.lower, worst.lower);
        worst = worse(worst, slope_by_orders(run, way, of_moments, largest_orders[k], known, limits), limits.tolerance);
      }
      worst.lower = std::max(worst.lower, answer.lower), worst.upper = std::min(worst.upper, answer.upper);
      answer = worst;
    }
    answer.converged = is_within(answer, limits.tolerance);
    if (answer.converged) answer.limited_by = {};
  }
  return answers;
}

// Epsilon or delta in one comparison of neighbours.
Answers in_comparison(const Run& run, const Row& row, Comparison way, Points points, const Limits& limits,
                      KeptSides* kept = nullptr) {
  if (!run.is_exact()) return between_sides(run.terms(), row, 0, points, limits, std::array{way}, kept);
  return row.alone(std::array{run.pairs(way)}, points, limits);
}

// Tails and quantiles of the loss of terms without an exact pair, from the run's curve in one comparison. `others`: the
// answers in other comparisons, or none.
Answers by_curve(const Run& run, const Row& row, Comparison way, Points points, const Answers& others,
                 const Limits& limits) {
  // Chords leave open some ten times as much of a tail, and a tail is some hundred times a delta.
  Limits closer = limits;
  closer.tolerance = std::max(0.1 * limits.tolerance, 1e-5);
  const std::shared_ptr<const Run> whole = run.unsampled();
  std::array<KeptSides, 2> kept;
  const auto deltas = [&](bool of_reverse, Points at, const Limits& wanted) {
    const Comparison one = of_reverse ? reversed(way) : way;
    Limits how = closer;
    how.smallest = std::max(1e-3 * limits.smallest, wanted.enough), how.memory_limit = wanted.memory_limit;
    const bool is_rough = wanted.tolerance >= most_tolerance;
    if (is_rough) how.tolerance = std::max(closer.tolerance, most_tolerance);
    Answers found = in_comparison(run, row_of(View::delta), one, at, how, is_rough ? nullptr : &kept[of_reverse]);
    if (whole != nullptr)
      narrow(row_of(View::delta), positions(at.size()), in_comparison(*whole, row_of(View::delta), one, at, how),
             Known::above, how, found);
    return found;
  };
  const EnclosedQuestion question = question_of(run.terms(), row_of(View::delta), closer);
  const SideAccuracy rough = first_accuracy(question);
  try {
    double infinite = 0;
    for (const Direction& below : runs_below(run.terms(), std::array{way}, rough))
      infinite = std::max(infinite, infinity_mass(below).lower());  // proof: loss-tail-chords
    const Direction about = runs_above(run.terms(), std::array{way}, rough).front();
    return row.between({about, deltas, closer.tolerance, infinite, question.closes, others}, points, limits);
  } catch (const OverWork&) {
    return nothing_told(row, points);
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
    std::vector<std::size_t> which = positions(points.size());
    std::erase_if(which, [&](std::size_t k) {
      return !is_tail && !worst.empty() && !may_exceed(run, way, worst[k].lower, rest_of(points[k]).lower, limits);
    });
    std::vector<double> open;
    Answers others;
    for (const std::size_t k : which) {
      open.push_back(points[k]);
      if (!worst.empty()) others.push_back(worst[k]);
    }
    const Answers found = open.empty() ? Answers{} : by_curve(run, row, way, open, others, limits);
    if (worst.empty()) worst = found;
    for (std::size_t k = 0; k < which.size(); ++k)
      worst[which[k]] = worse(worst[which[k]], found[k], [](const Answer&) { return false; });
  }
  return worst;
}

// Whether delta(0) alone is asked: a distance of two distributions, which does not depend on their order.
bool is_of_either_order(const Run& run, const Row& row, Points points) {
  return row.view == View::delta && std::all_of(points.begin(), points.end(), [](double at) { return at == 0; }) &&
         run.parts().empty() &&
         std::none_of(run.terms().begin(), run.terms().end(), [](const auto& term) { return term.mechanism->own; });
}

}  // namespace

Answers ask_once(const Run& run, const Row& row, std::size_t adjacency, Points points, const Limits& limits) {
  if (is_of_either_order(run, row, points)) {
    const Comparison way = adjacencies[adjacency].comparisons.front(), back = is_backward(way) ? way : reversed(way);
    Answers answers;
    // Losses where a record is added end, so that a line of moments may tell them at once.
    for (const auto& [one, most] : {std::pair(back, tuning::cheap), {reversed(back), infinity}, {back, infinity}}) {
      const WorkLimit work(most);
      Answers found = in_comparison(run, row, one, points, limits);
      if (!answers.empty()) narrow(row, positions(points.size()), answers, Known::both_ends, limits, found);
      answers = std::move(found);
      if (std::all_of(answers.begin(), answers.end(), [](const Answer& each) { return each.converged; })) break;
    }
    return answers;
  }
  if (row.view == View::zcdp && !run.is_exact_in(adjacency) && question_of(run.terms(), row, limits).closes)
    return slopes_between_sides(run, adjacency, points, limits);
  if (!run.is_exact_in(adjacency))
    return row.wanted == Wanted::loss ? loss_between_sides(run, row, adjacency, points, limits)
                                      : between_sides(run.terms(), row, adjacency, points, limits);
  const View view = row.view;
  const bool is_faced =
      view == View::power || view == View::gdp_mu || view == View::loss_tail || view == View::loss_quantile;
  const std::vector<Direction> reverses = is_faced ? run.reverses(adjacency) : std::vector<Direction>{};
  return asked(row, adjacency, points, limits, [&](std::size_t which) { return run.directions(which); }, reverses);
}

}  // namespace hockeystick
