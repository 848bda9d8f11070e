// SPDX-License-Identifier: Apache-2.0
#include "run/dpsgd_search.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/workers.hpp"
#include "run/search.hpp"

namespace hockeystick {
namespace {

// A run, one number of which is searched for, and its budget.
struct DpsgdBudget {
  double noise_multiplier, sampling_probability;
  std::int64_t steps;
  double epsilon, delta;
};

template <class Element>
Element at(std::span<const Element> values, std::size_t k) {
  return values.empty() ? Element{} : values[k];
}

constexpr double least_tolerance = 1e-6;
constexpr std::size_t little = std::size_t{1} << 20;  // bytes of a hasty answer

// The cost is epsilon, or delta where the budget's epsilon is 0.
class DpsgdFamily : public Family {
 public:
  DpsgdFamily(Searched what, const DpsgdBudget& budget, const DpsgdPairs& pairs, const Limits& limits)
      : Family("the run", ""), what_(what), budget_(budget), pairs_(pairs), limits_(limits) {
    whole = what == Searched::steps;
    const Range range = whole                                ? Range{0, ranges::count.high}
                        : what == Searched::noise_multiplier ? ranges::noise_multiplier
                                                             : Range{1e-15, 1};
    low = range.low, high = range.high, start = whole ? 1024 : what == Searched::noise_multiplier ? 1 : 0.01;
  }

  bool by_delta() const { return budget_.epsilon == 0 && budget_.delta > 0; }

  double settled(double value) override { return std::clamp(value, low, high); }
  bool accepts(double value) override { return low <= value && value <= high; }

  // A final cost that decides nothing is asked more closely. Numbers of steps, however, are compared by their certified
  // epsilon as closely as was asked and no closer. Delta may be in reach where epsilon is not.
  Cost cost(double value, double tolerance) override {
    const DpsgdBudget run = with(value);
    Interval found{0, infinity};
    if (run.steps == 0 || run.sampling_probability == 0) return {{0, 0}, {}};
    if (by_delta()) return {decided(value, run), {}};
    const bool is_final = tolerance <= limits_.tolerance;
    for (double width = tolerance;; width = std::max(0.01 * width, least_tolerance)) {
      const Answer epsilon = epsilon_of(run, width, limits_.memory_limit);
      found = both(found, {epsilon.lower, epsilon.upper});
      if (found.upper <= run.epsilon || found.lower > run.epsilon) return {found, {}};
      if (epsilon.converged && (!is_final || whole)) return {found, {}};
      if (!epsilon.converged || width <= least_tolerance) break;
    }
    const Interval delta = decided(value, run);  // at most delta <=> epsilon at most that of the budget
    if (delta.upper <= run.delta) return {{found.lower, run.epsilon}, {}};
    if (delta.lower > run.delta) return {{up(run.epsilon), std::max(found.upper, up(run.epsilon))}, {}};
    return {found, {}};
  }
  Interval hasty_cost(double value, double tolerance) override {
    const DpsgdBudget run = with(value);
    if (by_delta() || run.steps == 0 || run.sampling_probability == 0) return cost(value, tolerance).bounds;
    const Answer found = epsilon_of(run, tolerance, std::min(little, limits_.memory_limit));
    return {found.lower, found.upper};
  }
  Interval advantage(double) override { return {0, 1}; }  // the direction is known

  // Why the cost of a parameter could not be compared with the budget, if it could not.
  std::string_view limited_by(double value) const {
    const auto found = undecided_.find(value);
    return found == undecided_.end() ? std::string_view{} : found->second;
  }

 private:
  // Costs more the larger the value is, but for a noise multiplier.
  DpsgdBudget with(double value) const {
    checkpoint();
    DpsgdBudget run = budget_;
    if (what_ == Searched::noise_multiplier) run.noise_multiplier = value;
    if (what_ == Searched::sampling_probability) run.sampling_probability = value;
    if (what_ == Searched::steps) run.steps = static_cast<std::int64_t>(value);
    return run;
  }
  Answer epsilon_of(const DpsgdBudget& run, double tolerance, std::size_t memory) const {
    const DpsgdRuns runs{{&run.noise_multiplier, 1}, {&run.sampling_probability, 1}, {&run.steps, 1}, {&run.delta, 1}};
    Limits limits = limits_;
    limits.tolerance = tolerance, limits.memory_limit = memory;
    return dpsgd_epsilon_bounds(runs, pairs_, limits).front();
  }

  // Delta, as closely as its comparison with the budget's delta needs.
  Interval decided(double value, const DpsgdBudget& run) {
    Limits limits = limits_;
    limits.tolerance = 0.01, limits.smallest = 0;
    Interval found{0, 1};
    for (; limits.tolerance >= least_tolerance; limits.tolerance *= 0.01) {
      const Answer delta =
          dpsgd_delta_bounds(run.noise_multiplier, run.sampling_probability, run.steps, run.epsilon, pairs_, limits);
      found = both(found, {delta.lower, delta.upper});
      if (found.upper <= run.delta || found.lower > run.delta) return found;
    }
    undecided_[value] = "passes";
    return found;
  }

  Searched what_;
  DpsgdBudget budget_;
  const DpsgdPairs& pairs_;
  Limits limits_;
  std::map<double, std::string_view> undecided_;
};

Answer searched(Searched what, const DpsgdBudget& budget, const DpsgdPairs& pairs, const Limits& limits) {
  DpsgdFamily family(what, budget, pairs, limits);
  const bool by_delta = family.by_delta(), falls = what == Searched::noise_multiplier;
  Goal goal{by_delta ? "delta" : "epsilon", by_delta ? budget.delta : budget.epsilon, limits.tolerance};
  goal.sign = falls ? -1 : 1, goal.narrow = limits.tolerance;
  Search search(family, goal);
  const auto [good, bad] = search.bracket(limits.tolerance);
  Answer answer;
  if (bad) answer.limited_by = family.limited_by(bad->value);
  answer.converged = answer.limited_by.empty();
  answer.lower = falls && bad ? bad->value : good.value;
  answer.upper = falls || !bad ? good.value : bad->value;
  if (family.whole) {
    answer.upper = family.high;
    for (const Search::Sample& one : search.samples())
      if (one.cost.lower > goal.target) answer.upper = std::min(answer.upper, one.value - 1);
  }
  return answer;
}

}  // namespace

std::vector<Answer> searched(Searched what, const DpsgdBudgets& budgets, const DpsgdPairs& pairs, const Limits& limits,
                             std::int64_t threads) {
  // The check comes before any thread begins, so that the error names the first bad run.
  check_each("epsilon", budgets.epsilons, ranges::epsilon);
  check_each("delta", budgets.deltas, ranges::delta);
  std::vector<Answer> found(budgets.deltas.size());
  in_threads(found.size(), threads, [&](std::size_t k) {
    const DpsgdBudget one{at(budgets.noise_multipliers, k), at(budgets.sampling_probabilities, k), at(budgets.steps, k),
                          budgets.epsilons[k], budgets.deltas[k]};
    found[k] = searched(what, one, pairs, limits);
  });
  return found;
}

}  // namespace hockeystick
