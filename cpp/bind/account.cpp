// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bind/answers.hpp"
#include "curves/composed_pld.hpp"
#include "curves/sampled_pld.hpp"
#include "methods/composition_cache.hpp"
#include "methods/questions.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Solve = std::vector<Answer> (*)(std::span<const Direction>, std::span<const double>, const Limits&);

Answers solve_each(const char* name, Solve solve, const PairCounts& directions, const Doubles& values, double tolerance,
                   std::size_t memory_limit, const std::string& method) {
  const Limits limits{tolerance, memory_limit, method};
  const std::vector<Direction> asked = directions_of(directions);
  const auto from = in(values);
  const LongWork work;
  return checked(solve(asked, from, limits), name, from, limits);
}

// Method, forecast cost [ns], bytes and width, verdict, attempts, and the time they took [ns].
using ExplainedMethod = std::tuple<std::string_view, double, double, double, std::string_view, int, double>;

std::vector<std::vector<ExplainedMethod>> explained(const PairCounts& directions, const std::string& quantity,
                                                    double at, double tolerance, std::size_t memory_limit,
                                                    const std::string& method) {
  const auto wanted =
      named<Quantity>("quantity", quantity, {{"epsilon", Quantity::epsilon}, {"delta", Quantity::delta}});
  const std::vector<Direction> asked = directions_of(directions);
  const LongWork work;
  std::vector<std::vector<ExplainedMethod>> tables;
  for (const auto& table : explain(asked, wanted, at, {tolerance, memory_limit, method})) {
    tables.emplace_back();
    for (const auto& [name, forecast, verdict, attempts, nanoseconds] : table)
      tables.back().emplace_back(name, forecast.cost, forecast.bytes, forecast.width, verdict, attempts, nanoseconds);
  }
  return tables;
}

Estimator estimator_named(const std::string& name) {
  return named<Estimator>("estimator", name,
                          {{"connect_dots", Estimator::connect_dots},
                           {"algorithm_2", Estimator::algorithm_2},
                           {"privacy_buckets", Estimator::privacy_buckets}});
}

LossPmf loss_pmf(const std::vector<PairCount>& terms, double interval, const std::string& side,
                 const std::string& estimator, double tail_mass, std::size_t memory_limit,
                 const std::vector<std::int64_t>& support, bool merge_gaussians) {
  const Direction direction = direction_of(terms);
  const ExplicitRequest request{
      interval, side_named(side), estimator_named(estimator), tail_mass, memory_limit, 0, support,
      false,    merge_gaussians};
  const LongWork work;
  return requested_pmf(direction, request);
}

}  // namespace

void bind_account(py::module_& module) {
  module.def(
      "epsilon_bounds",
      [](const PairCounts& directions, const Doubles& deltas, double tolerance, std::size_t memory_limit,
         const std::string& method) {
        return solve_each("epsilon_bounds", &epsilon_bounds, directions, deltas, tolerance, memory_limit, method);
      },
      py::arg("directions"), py::arg("deltas"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "", "Encloses epsilon at each delta, for the worst direction.");
  module.def(
      "delta_bounds",
      [](const PairCounts& directions, const Doubles& epsilons, double tolerance, std::size_t memory_limit,
         const std::string& method) {
        return solve_each("delta_bounds", &delta_bounds, directions, epsilons, tolerance, memory_limit, method);
      },
      py::arg("directions"), py::arg("epsilons"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "", "Encloses delta at each epsilon, for the worst direction.");
  module.def("explain", &explained, py::arg("directions"), py::arg("quantity"), py::arg("at"), py::kw_only(),
             py::arg("tolerance"), py::arg("memory_limit"), py::arg("method") = "",
             "What became of each method, a table for each direction.");
  module.def("methods", &method_names,
             "The names of the methods, in the order in which they are asked for a forecast.");
  module.def("forget_transforms", &forget_compositions, "Drops all kept transforms.");
  module.def("loss_pmf", &loss_pmf, py::arg("terms"), py::kw_only(), py::arg("interval"), py::arg("side"),
             py::arg("estimator"), py::arg("tail_mass"), py::arg("memory_limit"),
             py::arg("support") = std::vector<std::int64_t>{}, py::arg("merge_gaussians") = true,
             "The composed privacy loss distribution of one direction, on a uniform grid.");
  module.def("poisson_sampled", py::overload_cast<const LossPmf&, double, bool, std::size_t>(&poisson_sampled),
             py::call_guard<LongWork>(), py::arg("pmf"), py::arg("probability"), py::kw_only(), py::arg("backward"),
             py::arg("memory_limit"),
             "The distribution of a mechanism on a Poisson subsample, of its side and interval.");
}
