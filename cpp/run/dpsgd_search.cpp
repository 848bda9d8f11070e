// SPDX-License-Identifier: Apache-2.0
#include "run/dpsgd_search.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/workers.hpp"

namespace hockeystick {
namespace {

// A run of which one number is searched for, and what it may cost.
struct DpsgdBudget {
  double noise_multiplier, sampling_probability;
  std::int64_t steps;
  double epsilon, delta;
};

template <class Element>
Element at(std::span<const Element> values, std::size_t k) {
  return values.empty() ? Element{} : values[k];
}

// What is known of a run: certificates, or none at any tolerance.
enum class Verdict { meets, exceeds, unknown };
struct Known {
  Verdict verdict;
  std::string_view limited_by;  // what kept an unknown one wider than asked, if anything
};

constexpr double least_tolerance = 1e-6;

class Search {
 public:
  Search(Searched what, const DpsgdBudget& budget, const DpsgdPairs& pairs, const Limits& limits)
      : what_(what), budget_(budget), pairs_(pairs), limits_(limits) {}

  // Costs more the larger x is, but for a noise multiplier.
  Known at(double x) const {
    checkpoint();
    DpsgdBudget run = budget_;
    switch (what_) {
      case Searched::noise_multiplier:
        run.noise_multiplier = x;
        break;
      case Searched::sampling_probability:
        run.sampling_probability = x;
        break;
      case Searched::steps:
        run.steps = static_cast<std::int64_t>(x);
    }
    if (run.steps == 0 || run.sampling_probability == 0) return {Verdict::meets, {}};
    return by_epsilon(run);
  }

 private:
  // Numbers of steps are told apart by what epsilon of each is certified to be, as closely as was asked and no closer;
  // others as closely as it takes. Epsilon varies about as they do, delta by orders of magnitude.
  Known by_epsilon(const DpsgdBudget& run) const {
    const DpsgdRuns runs{{&run.noise_multiplier, 1}, {&run.sampling_probability, 1}, {&run.steps, 1}, {&run.delta, 1}};
    const bool is_whole = what_ == Searched::steps;
    const double finest = is_whole ? limits_.tolerance : least_tolerance;
    Limits limits = limits_;
    for (limits.tolerance = std::max(0.01, finest);; limits.tolerance = std::max(0.01 * limits.tolerance, finest)) {
      const Answer epsilon = dpsgd_epsilon_bounds(runs, pairs_, limits).front();
      if (epsilon.upper <= run.epsilon) return {Verdict::meets, {}};
      if (epsilon.lower > run.epsilon) return {Verdict::exceeds, {}};
      if (!epsilon.converged) return by_delta(run);  // which may be out of reach where this is not
      if (limits.tolerance <= finest) return is_whole ? Known{Verdict::unknown, {}} : by_delta(run);
    }
  }

  // As closely as it takes.
  Known by_delta(const DpsgdBudget& run) const {
    Limits limits = limits_;
    limits.tolerance = 0.01, limits.smallest = 0;
    for (; limits.tolerance >= least_tolerance; limits.tolerance *= 0.01) {
      const Answer delta =
          dpsgd_delta_bounds(run.noise_multiplier, run.sampling_probability, run.steps, run.epsilon, pairs_, limits);
      if (delta.upper <= run.delta) return {Verdict::meets, {}};
      if (delta.lower > run.delta) return {Verdict::exceeds, {}};
    }
    return {Verdict::unknown, "passes"};
  }

  Searched what_;
  DpsgdBudget budget_;
  const DpsgdPairs& pairs_;
  Limits limits_;
};

struct Axis {
  Range range;
  double start, factor;  // where to look first, and how much farther each time
  bool is_whole;
};

Axis axis_of(Searched what) {
  if (what == Searched::noise_multiplier) return {ranges::noise_multiplier, 1, 2, false};
  if (what == Searched::sampling_probability) return {{1e-15, 1}, 0.01, 2, false};
  return {{0, ranges::count.high}, 1024, 4, true};
}

double between(double low, double high, bool is_whole) {
  if (is_whole) return std::floor((low + high) / 2);
  return std::sqrt(low) * std::sqrt(high);
}

Answer searched(Searched what, const DpsgdBudget& budget, const DpsgdPairs& pairs, const Limits& limits) {
  const Search search(what, budget, pairs, limits);
  const Axis axis = axis_of(what);
  const bool falls = what == Searched::noise_multiplier;  // the cost
  // `good` meets the budget, `bad` does not, or is not known to.
  double good = std::nan(""), bad = std::nan(""), exceeding = axis.range.high + 1;
  Answer answer;
  for (double x = axis.start;;) {
    const auto [verdict, limited_by] = search.at(x);
    answer.limited_by = limited_by;
    const bool meets = verdict == Verdict::meets;
    (meets ? good : bad) = x;
    if (verdict == Verdict::exceeds) exceeding = std::min(exceeding, x);
    if (!std::isnan(good) && !std::isnan(bad)) break;
    const double next = std::clamp(meets == falls ? x / axis.factor : x * axis.factor, axis.range.low, axis.range.high);
    const double moved = axis.is_whole ? std::floor(next) : next;
    if (moved == x) {
      if (meets) break;
      throw std::invalid_argument("epsilon and delta must be met somewhere in the range of what is searched for");
    }
    x = moved;
  }
  if (std::isnan(bad)) {
    answer.lower = answer.upper = good;
    return answer;
  }
  const auto is_tight = [&] {
    const double low = std::min(good, bad), high = std::max(good, bad);
    return axis.is_whole ? high - low <= 1 : high - low <= limits.tolerance * high;
  };
  while (!is_tight()) {
    const double x = between(good, bad, axis.is_whole);
    const auto [verdict, limited_by] = search.at(x);
    if (verdict == Verdict::exceeds) exceeding = std::min(exceeding, x);
    if (verdict == Verdict::unknown && !axis.is_whole) {
      if (std::fabs(good - bad) > limits.tolerance * std::max(good, bad)) answer.limited_by = limited_by;
      break;
    }
    (verdict == Verdict::meets ? good : bad) = x;
    if (verdict != Verdict::meets) answer.limited_by = limited_by;  // that of `bad`
  }
  answer.converged = answer.limited_by.empty();
  answer.lower = std::min(good, bad);
  answer.upper = std::max(good, bad);
  if (axis.is_whole) answer.upper = exceeding - 1;
  return answer;
}

}  // namespace

std::vector<Answer> searched(Searched what, const DpsgdBudgets& budgets, const DpsgdPairs& pairs, const Limits& limits,
                             std::int64_t threads) {
  // Before any thread begins, so that the first bad one is named.
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
