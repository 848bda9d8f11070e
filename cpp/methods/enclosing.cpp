// SPDX-License-Identifier: Apache-2.0
#include "methods/enclosing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "mechanisms/known_pairs.hpp"
#include "mechanisms/registry.hpp"
#include "mechanisms/sampling/allocation_epoch.hpp"
#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"

namespace hockeystick {
namespace {

constexpr double least_tail = 1e-90, not_known = std::numeric_limits<double>::quiet_NaN();

// For a gap of about the tolerance where a delta of `smallest` is told after so many runs.
Accuracy starting_accuracy(double tolerance, double smallest, std::int64_t runs) {
  return {std::clamp(std::ceil(24 * std::sqrt(1e-3 / tolerance)), 12.0, 2000.0),
          std::min(std::max(0.1 * tolerance * smallest / static_cast<double>(runs), least_tail), 1e-6)};
}

Accuracy finer(const Accuracy& at) { return {std::min(3 * at.cells, 2000.0), std::max(at.tail / 10, least_tail)}; }

// Of an answer, relative to its upper end.
double gap_of(const Answer& ends) {
  return ends.lower == ends.upper ? 0 : 1 - ends.lower / ends.upper;  // both may be infinite
}

// Whether either side told it as closely as it is asked to, be it that so small a number need not be told closer.
bool is_as_told(const Answer& over, const Answer& under, const Answer& ends) {
  const double widest = std::max(over.upper - over.lower, under.upper - under.lower);
  return over.converged && under.converged && ends.upper - ends.lower <= widest;
}

// Whether a side could do better with more memory, or what else keeps the sides that meet from the truth.
void explain(const Answer& over, const Answer& under, bool closes, Answer& ends) {
  ends.converged = false;
  ends.limited_by = closes ? "passes" : "theory";
  for (const Answer* side : {&under, &over}) {
    if (side->converged || !(closes || side->limited_by == "memory_limit")) continue;
    ends.limited_by = side->limited_by;
    ends.required_bytes = side->required_bytes;
  }
}

bool is_same(const Direction& a, const Direction& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Term& x, const Term& y) { return x.pair == y.pair && x.count == y.count; });
}

void add_distinct(std::vector<Direction>& runs, Direction run) {
  if (std::none_of(runs.begin(), runs.end(), [&](const Direction& known) { return is_same(known, run); }))
    runs.push_back(std::move(run));
}

// Where the function is zero, in (1e-13, 1e18), about.
template <class Rising>
double root_of(const Rising& rising) {
  double low = -30, high = 41;
  for (int k = 0; k < 50; ++k) {
    const double middle = (low + high) / 2;
    (rising(math::exp(middle)) < 0 ? low : high) = middle;
  }
  return math::exp(high);
}

// Where the bound of the question is least.
double worst_order(double rho, bool wants_epsilon, double point) {
  if (wants_epsilon) return root_of([=](double t) { return rho * t * t + math::log1p(t) + math::log(point); });
  return root_of([=](double t) { return rho * (2 * t + 1) - math::log1p(1 / t) - point; });
}

// Two outcomes that do their worst at an order, or a Gaussian where none are known.
std::shared_ptr<const DominatingPair> attaining(double rho, double order) {
  try {
    return known_pair({"zero_concentrated_below", {rho, order}});
  } catch (const std::invalid_argument&) {
    const double noise = (1 + 0x1p-50) / std::sqrt(2 * rho);  // proof: parameter-rounding
    return known_pair({"gaussian", {std::max(noise, 1e-3)}});
  }
}

}  // namespace

double smallest_told(std::span<const double> points, double most) {
  for (const double point : points)
    if (point > 0) most = std::min(most, point);
  return most;
}

std::vector<Answer> enclosed_answers(const EnclosedQuestion& question, const AskSide& above, const AskSide& below,
                                     std::span<const Interval> known) {
  const auto answer_of = [](const Interval& ends) {
    Answer answer = enclosed(ends, {});
    answer.converged = true;
    answer.discretization = answer.truncation = answer.wraparound = answer.rounding = not_known;
    return answer;
  };
  const auto is_wide = [&](const Answer& answer) { return gap_of(answer) > question.tolerance; };
  std::vector<Answer> found;
  for (const Interval& each : known) found.push_back(answer_of(each));
  if (!known.empty() && std::none_of(found.begin(), found.end(), is_wide)) return found;
  const std::int64_t runs = std::max<std::int64_t>(question.runs, 1);
  const auto tail_of = [&](double smallest) { return starting_accuracy(question.tolerance, smallest, runs).tail; };
  Accuracy accuracy = starting_accuracy(question.tolerance, question.smallest.value_or(1e-9), runs);
  bool is_told = question.smallest.has_value();
  const int attempts = question.closes ? 3 : 1;
  double before = infinity;
  for (int attempt = 1;;) {
    const std::vector<Answer> over = above(accuracy), under = below(accuracy), earlier = std::move(found);
    found.clear();
    double least = infinity, least_upper = infinity, gap = 0;
    for (std::size_t i = 0; i < over.size(); ++i) {
      Interval each =
          question.rises ? Interval{under[i].lower, over[i].upper} : Interval{over[i].lower, under[i].upper};
      if (!earlier.empty()) each = {std::max(each.lower, earlier[i].lower), std::min(each.upper, earlier[i].upper)};
      // Of Gaussians alone the core tells the mu of all rates, which is more than that of these only where that is the
      // largest there can be: then the pairs above reach it but for rounding.
      if (question.of_rates) each.lower = std::min(each.lower, each.upper * (1 - 1e-9));
      if (!(each.lower <= each.upper)) return {answer_of(each)};
      least = std::min(least, each.lower), least_upper = std::min(least_upper, each.upper);
      found.push_back(answer_of(each));
      if (!is_as_told(over[i], under[i], found.back())) gap = std::max(gap, gap_of(found.back()));
    }
    if (gap <= question.tolerance) return found;
    // Deltas come to what the ends leave out, once: then the least of them says how much that may be.
    if (!is_told && tail_of(least_upper) < accuracy.tail) {
      is_told = true, accuracy.tail = tail_of(least);
      continue;
    }
    // Rounding limits it where closer pairs do not help.
    if (attempt == attempts || (0.9 * before < gap && gap < 1)) {
      for (std::size_t i = 0; i < found.size(); ++i)
        if (is_wide(found[i]) && !is_as_told(over[i], under[i], found[i]))
          explain(over[i], under[i], question.closes, found[i]);
      return found;
    }
    before = gap, accuracy = finer(accuracy);
    ++attempt;
  }
}

std::vector<DescribedTerm> dominating_run(std::span<const DescribedTerm> terms) {
  std::vector<DescribedTerm> run;
  std::map<const MechanismKind*, std::vector<DescribedTerm>> to_join;
  const auto add = [&](const DescribedTerm& term) {
    checked("count", static_cast<double>(term.count), ranges::count);
    const Enclosure* enclosure = term.mechanism->kind->enclosure;
    (enclosure != nullptr && enclosure->joined != nullptr ? to_join[term.mechanism->kind] : run).push_back(term);
  };
  for (const auto& [mechanism, count] : terms) {
    if (is_exact(*mechanism) || mechanism->kind->enclosure->run_above == nullptr) {
      add({mechanism, count});
      continue;
    }
    for (const auto& [one, times] : mechanism->kind->enclosure->run_above(*mechanism)) {
      checked("count", static_cast<double>(times) * static_cast<double>(count), ranges::count);
      add({one, times * count});
    }
  }
  for (const auto& [kind, several] : to_join) run.push_back({kind->enclosure->joined(several), 1});
  return run;
}

std::vector<Direction> runs_above(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const Accuracy& accuracy, bool of_moments) {
  const std::vector<DescribedTerm> dominating = dominating_run(terms);
  std::vector<Direction> runs;
  for (const Comparison way : comparisons) {
    Direction run;
    for (const auto& [mechanism, count] : dominating) {
      const Enclosure* enclosure = mechanism->kind->enclosure;
      const PairName name = enclosure == nullptr ? dominating_pair_name(*mechanism, way)
                            : of_moments && enclosure->of_moments != nullptr
                                ? enclosure->of_moments(*mechanism)[1]
                                : enclosure->above(*mechanism, way, accuracy);
      run.push_back({known_pair(name), count});
    }
    add_distinct(runs, std::move(run));
  }
  return runs;
}

std::vector<Direction> runs_below(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const Accuracy& accuracy, bool of_moments) {
  std::vector<Direction> runs;
  for (const Comparison way : comparisons) {
    std::vector<std::vector<PairName>> choices;
    std::size_t most = 1;
    for (const auto& [mechanism, count] : terms) {
      const Enclosure* enclosure = mechanism->kind->enclosure;
      choices.push_back(enclosure == nullptr ? std::vector{dominating_pair_name(*mechanism, way)}
                        : of_moments && enclosure->of_moments != nullptr
                            ? std::vector{enclosure->of_moments(*mechanism)[0]}
                            : enclosure->below(*mechanism, way, accuracy));
      most = std::max(most, choices.back().size());
    }
    for (std::size_t choice = 0; choice < most; ++choice) {
      Direction run;
      for (std::size_t k = 0; k < terms.size(); ++k)
        run.push_back({known_pair(choices[k][std::min(choice, choices[k].size() - 1)]), terms[k].count});
      add_distinct(runs, std::move(run));
    }
  }
  return runs;
}

std::vector<Interval> known_alone(std::span<const DescribedTerm> terms, bool wants_epsilon,
                                  std::span<const Comparison> comparisons, std::span<const double> points,
                                  double tolerance) {
  const MechanismKind* kind = terms.front().mechanism->kind;
  if (std::any_of(terms.begin(), terms.end(), [=](const auto& term) { return term.mechanism->kind != kind; }))
    return {};
  if (kind->name == "zcdp") {
    std::vector<ConcentratedRun> runs;
    for (const auto& [one, count] : terms) runs.push_back({one->number(0), count});
    return concentrated_bounds(runs, wants_epsilon, points, tolerance);
  }
  const Described& one = *terms.front().mechanism;
  if (terms.size() > 1 || terms.front().count > 1 || kind->name != "random_allocation" ||
      one.inner->kind->name != "gaussian" || replaces(comparisons.front()))
    return {};
  const double noise = one.inner->number(0), epochs = one.number(1);
  if (!Range{0.2, 1000}.holds(noise / std::sqrt(epochs))) return {};
  const auto asks = [&](std::string_view which) {
    return std::any_of(comparisons.begin(), comparisons.end(), [&](Comparison way) { return form(way) == which; });
  };
  return allocation_bounds({noise, one.number(0), epochs, asks("remove"), asks("add"), wants_epsilon, tolerance},
                           points);
}

std::vector<Interval> concentrated_bounds(std::span<const ConcentratedRun> runs, bool wants_epsilon,
                                          std::span<const double> points, double tolerance) {
  double total = 0;
  for (const auto& [rho, count] : runs) total += rho * static_cast<double>(count);
  std::vector<Interval> bounds;
  for (const double point : points) {
    const double order = worst_order(total, wants_epsilon, point);
    Direction run;
    for (const auto& [rho, count] : runs) run.push_back({attaining(rho, order), count});
    // Their two atoms cost little, and the rest of the gap is theory's.
    const Limits limits{0.25 * tolerance, std::size_t{1} << 30};
    const auto ask = wants_epsilon ? epsilon_bounds : delta_bounds;
    bounds.push_back({ask({&run, 1}, {&point, 1}, limits).front().lower, wants_epsilon ? infinity : 1.0});
  }
  return bounds;
}

}  // namespace hockeystick
