// SPDX-License-Identifier: Apache-2.0
// _core.runs: curves of whole runs and of the best of several from within, for tests of what they state to be off by.
#include <pybind11/stl.h>

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "mechanisms/curves/best_of.hpp"
#include "mechanisms/discrete/atomic_pair.hpp"
#include "mechanisms/gaussian/joint_gaussian.hpp"
#include "numeric/poisson_binomial.hpp"
#include "numeric/three_valued_sum.hpp"
#include "run/chained_curve.hpp"
#include "run/run_curve.hpp"
#include "run/sampled_group.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using NumberList = std::vector<double>;
using AlphaUpper = std::pair<NumberList, NumberList>;  // alpha, upper

EnclosedCurve curve_of(const AlphaUpper& points) { return {points.first, {}, points.second}; }

// Losses, lower and upper deltas.
KnownDeltas deltas_of(const std::tuple<NumberList, NumberList, NumberList>& given) {
  const auto& [losses, lower, upper] = given;
  KnownDeltas known{losses, {}};
  for (std::size_t k = 0; k < losses.size(); ++k) known.deltas.push_back({lower[k], upper[k]});
  return known;
}

std::tuple<NumberList, NumberList, NumberList> numbers_of(const EnclosedCurve& curve) {
  return {curve.alpha, curve.lower, curve.upper};
}

std::vector<RenyiPoint> moments_of(const std::vector<std::pair<double, double>>& given) {
  std::vector<RenyiPoint> moments;
  for (const auto& [order, divergence] : given) moments.push_back({order, divergence});
  return moments;
}

void bind_best_of(py::module_& m) {
  m.def("rank_lines", [](const AlphaUpper& back, const NumberOfRuns& runs, double cells) {
    std::vector<std::pair<double, double>> lines;
    for (const auto& [slope, less] : rank_lines(curve_of(back), runs, cells)) lines.emplace_back(slope, less);
    return lines;
  });
  m.def("rank_ratios", [](const AlphaUpper& back, const NumberOfRuns& runs, double t) {
    const RankRatios ratios(curve_of(back), runs);
    return std::pair(ratios.log_power(t), ratios.largest());
  });
  m.def("kinks_of", [](const std::vector<std::pair<double, double>>& given) {
    std::vector<RankLine> lines;
    for (const auto& [slope, less] : given) lines.push_back({slope, less});
    std::vector<std::pair<double, double>> kinks;
    for (const auto& [at, jump] : kinks_of(lines)) kinks.emplace_back(at, jump);
    return kinks;
  });
  m.def(
      "best_of_upper",
      [](const AlphaUpper& forth, const AlphaUpper& back, const NumberOfRuns& runs,
         const std::vector<std::pair<double, double>>& moments, double cells, double alpha, const AlphaUpper& all) {
        return best_of_upper(curve_of(forth), curve_of(back), runs, {moments_of(moments), curve_of(all), {}}, cells,
                             alpha);
      },
      py::arg("forth"), py::arg("back"), py::arg("runs"), py::arg("moments"), py::arg("cells"), py::arg("alpha"),
      py::arg("all") = AlphaUpper{});
  m.def("best_of_attained",
        [](const std::vector<std::tuple<double, double, double>>& atoms, const NumberOfRuns& runs, double first) {
          AtomicLaw base;
          for (const auto& [loss, p, q] : atoms) base.atoms.push_back({loss, p, q});
          return std::const_pointer_cast<DominatingPair>(atomic_pair(best_of_attained(base, runs, first)));
        });
}

}  // namespace

void bind_runs(py::module_& module) {
  py::module_ m = module.def_submodule("runs", "Curves of whole runs, for tests.");
  m.def("positive_part",
        [](double terms, const NumberList& chances, const NumberList& values, double offset, double cut) {
          const auto sum = cut > 0 ? ThreeValuedSum::even(terms, chances[0], chances[1], cut)
                                   : ThreeValuedSum::of_two(terms, chances[0], chances[1]);
          const Interval found = sum.positive_part({values[0], values[1], values[2]}, offset);
          return std::pair(found.lower, found.upper);
        });
  m.def("likely_counts", [](double trials, double success, double failure, double cut) {
    const LikelyCounts counts(trials, success, failure, cut);
    return std::tuple(counts.first, counts.weights, counts.error, counts.below, counts.above, counts.mean_above);
  });
  m.def("heads_law", [](const NumberList& rates) {
    HeadsLaw law = heads_law(rates);
    return std::pair(law.masses, law.cut);
  });
  m.def("joint_mu", [](const NumberList& parameters) { return joint_mu(parameters); });
  m.def("exp_above", &exp_above);
  m.def("exp_below", &exp_below);
  using Given = std::tuple<NumberList, NumberList, NumberList>;
  m.def("curve_above", [](const Given& forth, const Given& back) {
    return numbers_of(curve_above(deltas_of(forth), deltas_of(back)));
  });
  m.def("curve_between", [](const Given& forth, const Given& back) {
    return numbers_of(curve_between(deltas_of(forth), deltas_of(back)));
  });
  m.def("chained_values", [](const NumberList& first, const NumberList& second, const NumberList& powers) {
    return chained_values(first, second, powers);
  });
  using Drawn = std::vector<std::tuple<NumberList, NumberList, double>>;
  const auto groups_of = [](const Drawn& given) {
    std::vector<DrawnGroup> groups;
    for (const auto& [alpha, value, weight] : given) groups.push_back({{alpha, value}, weight});
    return groups;
  };
  m.def("sampled_above", [=](const Drawn& groups, double none, double rest, bool removed) {
    const EnclosedCurve found = sampled_above(groups_of(groups), none, rest, removed, 100);
    return std::pair(found.alpha, found.upper);
  });
  m.def("sampled_below", [=](const Drawn& groups, double none, double rest, bool removed) {
    const ChordPoints found = sampled_below(groups_of(groups), none, rest, removed, 100);
    return std::pair(found.alpha, found.value);
  });
  bind_best_of(m);
}
