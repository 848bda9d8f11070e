// SPDX-License-Identifier: Apache-2.0
// Pairs that are made from the curves of whole runs: groups of records, one sample for all, the best of several.
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "numeric/poisson_binomial.hpp"
#include "numeric/range.hpp"
#include "run/best_of_moments.hpp"
#include "run/best_of_run.hpp"
#include "run/chained_curve.hpp"
#include "run/chained_moments.hpp"
#include "run/run_moments.hpp"
#include "run/sampled_group.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// A run in a direction, its reverse if that is known, and the number of neighbours in a row that it joins.
using MaybeRun = std::optional<Direction>;
using Link = std::tuple<Direction, MaybeRun, std::int64_t>;

Pair made_pair(AtomicLaw law, std::optional<double> rate, bool back) {
  if (rate) law = poisson_sampled(law, checked("sampling_probability", *rate, ranges::inner_probability));
  return owned(atomic_pair(back ? reversed(std::move(law)) : std::move(law)));
}

Chain chain_of(const std::vector<Link>& links) {
  Chain chain;
  for (const auto& [forth, reverse, times] : links)
    chain.push_back(
        {{forth, reverse}, static_cast<std::int64_t>(checked("times", static_cast<double>(times), {1, 1e6}))});
  return chain;
}

Pair chained(const std::vector<std::vector<Link>>& given, double cells, double tail, std::optional<double> rate,
             bool back) {
  std::vector<Chain> chains;
  for (const std::vector<Link>& links : given) chains.push_back(chain_of(links));
  const LongWork work;
  return made_pair(law_above(least_chained(chains, cells, tail)), rate, back);
}

// A pair above or below a sampled group, from the groups of records drawn; above, also from a chain of neighbours if
// one is given.
Pair sampled_group(const std::vector<std::pair<Direction, Direction>>& given, const std::vector<double>& rates,
                   bool removed, double cells, double tail, bool above, const std::vector<Link>& chain) {
  check_each("rates", rates, ranges::probability);
  checked("groups", static_cast<double>(given.size()), {1, static_cast<double>(rates.size())});
  std::vector<BothWays> groups;
  for (const auto& [forth, back] : given) groups.push_back({forth, back});
  const LongWork work;
  EnclosedCurve others;
  if (!chain.empty()) others = least_chained(std::array{chain_of(chain)}, cells, tail);
  return made_pair(sampled_group_law(groups, rates, removed, cells, tail, above, others), {}, false);
}

NumberOfRuns number_of_runs(const std::string& kind, double mean, double extra) {
  using Kind = NumberOfRuns::Kind;
  return {
      named<Kind>(
          "runs", kind,
          {{"poisson", Kind::poisson}, {"negative_binomial", Kind::negative_binomial}, {"binomial", Kind::binomial}}),
      mean, extra};
}

}  // namespace

void bind_whole_runs(py::module_& module) {
  module.def(
      "is_group_cut", [](const std::vector<double>& rates) { return heads_law(rates).cut > 0; }, py::arg("rates"),
      "Whether a number of coins that show heads has a probability too small for doubles.");
  module.def("chained_pair", &chained, py::arg("chains"), py::arg("cells"), py::arg("tail"), py::kw_only(),
             py::arg("sampling_probability") = std::nullopt, py::arg("back_again") = false,
             "A pair above the least of what several chains of neighbours allow; each link is a run, its reverse and a "
             "number. On a Poisson subsample, and reversed, if asked.");
  module.def("sampled_group_pair", &sampled_group, py::arg("groups"), py::arg("rates"), py::arg("removed"),
             py::arg("cells"), py::arg("tail"), py::kw_only(), py::arg("above"), py::arg("chain") = std::vector<Link>{},
             "A pair above a group of records that are each drawn at a rate of its own, or, if the same tests are the "
             "best of all, below it; from groups of 1, 2, ... records on all data and their reverses, and a chain.");
  py::class_<NumberOfRuns>(module, "NumberOfRuns", "A random number of runs. Immutable.")
      .def(py::init(&number_of_runs), py::arg("kind"), py::arg("mean"), py::arg("extra"))
      .def("rate", &NumberOfRuns::rate, py::arg("x"), "f'(1 - x), f the generating function.")
      .def("rate_slope", &NumberOfRuns::rate_slope, py::arg("x"), "The size of its slope.")
      .def("between", &NumberOfRuns::between, py::arg("x"), py::arg("rest"), py::arg("part"),
           "f(1 - x) - f(1 - x - part).")
      .def_property_readonly("error", &NumberOfRuns::error, "Relative, of all these.")
      .def_property_readonly("none", &NumberOfRuns::none, "The probability of no run.");
  module.def(
      "best_of_pair",
      [](const Direction& forth, const MaybeRun& back, const NumberOfRuns& runs, double cells, double tail,
         std::optional<double> goal) {
        const LongWork work;
        return made_pair(goal ? best_of_run_below({forth, back}, runs, cells, tail, *goal)
                              : best_of_run_above({forth, back}, runs, cells, tail),
                         {}, false);
      },
      py::arg("forth"), py::arg("back"), py::arg("runs"), py::arg("cells"), py::arg("tail"), py::kw_only(),
      py::arg("goal") = std::nullopt,
      "A pair above the best of several runs, or, where a delta is the goal, one that is attained.");
  module.def(
      "best_of_moments",
      [](const Direction& forth, const MaybeRun& back, const NumberOfRuns& runs, double cells, double tail,
         const Direction& moments, bool attained) {
        const LongWork work;
        return owned(best_of_moments({forth, back}, moments, runs, cells, tail, attained));
      },
      py::arg("forth"), py::arg("back"), py::arg("runs"), py::arg("cells"), py::arg("tail"), py::kw_only(),
      py::arg("moments"), py::arg("attained"),
      "A pair that encloses Renyi divergences of the best of several runs; `moments` dominates those of one.");
  module.def(
      "run_moments",
      [](std::vector<Direction> runs, double rate, bool attained) {
        return owned(std::make_shared<RunMoments>(std::move(runs), rate, attained));
      },
      py::arg("runs"), py::kw_only(), py::arg("sampling_probability") = 1.0, py::arg("attained") = false,
      "A pair that encloses Renyi divergences of the worst of several runs, on a sample if asked.");
  module.def(
      "chained_moments",
      [](Direction one, std::int64_t records, const std::optional<Pair>& other) {
        return owned(std::make_shared<ChainedMoments>(std::move(one), records, other.value_or(nullptr)));
      },
      py::arg("one"), py::arg("records"), py::arg("other") = std::nullopt,
      "A pair that encloses Renyi divergences of a group, from one record's; `other` encloses them, too.");
  module.def(
      "best_of_largest",
      [](const Direction& forth, const Direction& back, const NumberOfRuns& runs) {
        const LongWork work;
        return best_of_largest({forth, back}, runs);
      },
      py::arg("forth"), py::arg("back"), py::arg("runs"), "Upper bound of the largest loss of the best.");
  module.def(
      "run_pair",
      [](const Direction& forth, const MaybeRun& back, double cells, double tail, bool above,
         std::optional<double> rate, bool reverse) {
        const LongWork work;
        return made_pair(run_law({forth, back}, cells, tail, above), rate, reverse);
      },
      py::arg("forth"), py::arg("back"), py::arg("cells"), py::arg("tail"), py::kw_only(), py::arg("above"),
      py::arg("sampling_probability") = std::nullopt, py::arg("back_again") = false,
      "A pair above or below a whole run. On a Poisson subsample, and reversed, if asked.");
}
