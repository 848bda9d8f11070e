// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "methods/questions.hpp"
#include "numeric/range.hpp"
#include "run/kept_run.hpp"
#include "views/composed_pld.hpp"
#include "views/sampled_pld.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Solve = std::vector<Answer> (*)(std::span<const Direction>, std::span<const double>, const Limits&);

Answers solve_each(const char* name, Solve solve, const Directions& directions, const Doubles& values, double tolerance,
                   std::size_t memory_limit, const std::string& method, double smallest = 0) {
  const Limits limits{tolerance, memory_limit, method, checked("smallest", smallest, ranges::smallest)};
  const auto from = in(values);
  const LongWork work;
  return checked(solve(directions, from, limits), name, from, limits);
}

Quantity quantity_named(const std::string& name) {
  return named<Quantity>("quantity", name, {{"epsilon", Quantity::epsilon}, {"delta", Quantity::delta}});
}

using MaybeKept = std::optional<std::shared_ptr<KeptRun>>;  // Python's None

MaybeKept kept_run(const Directions& directions, const std::string& quantity, double at, double tolerance,
                   std::size_t memory_limit) {
  const Question question{quantity_named(quantity), at, tolerance};
  const LongWork work;
  auto run = KeptRun::of(directions, question, {tolerance, memory_limit});
  return run ? MaybeKept(std::move(run)) : std::nullopt;
}

MaybeKept grown(const KeptRun& run, const Directions& more) {
  if (more.size() != run.directions()) throw std::invalid_argument("more must have the directions of the run");
  const LongWork work;
  auto result = run.grown(more);
  return result ? MaybeKept(std::move(result)) : std::nullopt;
}

std::optional<Answers> kept_answer(const KeptRun& run, const std::string& quantity, double at, double tolerance,
                                   std::size_t memory_limit) {
  const Limits limits{tolerance, memory_limit};
  const auto found = run.answer(quantity_named(quantity), at, limits);
  if (!found) return {};
  return checked({*found}, quantity.c_str(), {&at, 1}, limits);
}

// Method, forecast cost [ns], bytes and width, verdict, attempts, and the time they took [ns].
using ExplainedMethod = std::tuple<std::string_view, double, double, double, std::string_view, int, double>;

std::vector<std::vector<ExplainedMethod>> explained(const Directions& directions, const std::string& quantity,
                                                    double at, double tolerance, std::size_t memory_limit,
                                                    const std::string& method, double smallest) {
  const Quantity wanted = quantity_named(quantity);
  const LongWork work;
  std::vector<std::vector<ExplainedMethod>> tables;
  for (const auto& table : explain(directions, wanted, at, {tolerance, memory_limit, method, smallest})) {
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

LossPmf loss_pmf(const Direction& terms, double interval, const std::string& side, const std::string& estimator,
                 double tail_mass, std::size_t memory_limit, const std::vector<std::int64_t>& support,
                 bool merge_gaussians) {
  const ExplicitRequest request{interval, side_named(side), estimator_named(estimator), tail_mass, memory_limit,
                                support,  merge_gaussians};
  const LongWork work;
  return requested_pmf(terms, request);
}

}  // namespace

void bind_account(py::module_& module) {
  module.def(
      "epsilon_bounds",
      [](const Directions& directions, const Doubles& deltas, double tolerance, std::size_t memory_limit,
         const std::string& method) {
        return solve_each("epsilon_bounds", &epsilon_bounds, directions, deltas, tolerance, memory_limit, method);
      },
      py::arg("directions"), py::arg("deltas"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "", "Encloses epsilon at each delta, for the worst direction.");
  module.def(
      "delta_bounds",
      [](const Directions& directions, const Doubles& epsilons, double tolerance, std::size_t memory_limit,
         const std::string& method, double smallest) {
        return solve_each("delta_bounds", &delta_bounds, directions, epsilons, tolerance, memory_limit, method,
                          smallest);
      },
      py::arg("directions"), py::arg("epsilons"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "", py::arg("smallest") = 0.0, "Encloses delta at each epsilon, for the worst direction.");
  module.def("explain", &explained, py::arg("directions"), py::arg("quantity"), py::arg("at"), py::kw_only(),
             py::arg("tolerance"), py::arg("memory_limit"), py::arg("method") = "", py::arg("smallest") = 0.0,
             "What became of each method, a table for each direction.");
  py::class_<KeptRun, std::shared_ptr<KeptRun>>(module, "KeptRun", "A run that grows, with what answers a question.")
      .def_static("of", &kept_run, py::arg("directions"), py::arg("quantity"), py::arg("at"), py::kw_only(),
                  py::arg("tolerance"), py::arg("memory_limit"),
                  "Made for a question; None where nothing that may grow has a tight answer.")
      .def_property_readonly("directions", &KeptRun::directions, "How many it has.")
      .def("grown", &grown, py::arg("more"),
           "The run extended by these terms of each direction; None if they do not fit.")
      .def("answers", &kept_answer, py::arg("quantity"), py::arg("at"), py::kw_only(), py::arg("tolerance"),
           py::arg("memory_limit"), "The answer for the worst direction, if it is tight.");
  module.def("methods", &method_names,
             "The names of the methods, in the order in which they are asked for a forecast.");
  module.def("loss_pmf", &loss_pmf, py::arg("terms"), py::kw_only(), py::arg("interval"), py::arg("side"),
             py::arg("estimator"), py::arg("tail_mass"), py::arg("memory_limit"),
             py::arg("support") = std::vector<std::int64_t>{}, py::arg("merge_gaussians") = true,
             "The composed privacy loss distribution of one direction, on a uniform grid.");
  module.def("poisson_sampled", py::overload_cast<const LossPmf&, double, bool, std::size_t>(&poisson_sampled),
             py::call_guard<LongWork>(), py::arg("pmf"), py::arg("probability"), py::kw_only(), py::arg("backward"),
             py::arg("memory_limit"),
             "The distribution of a mechanism on a Poisson subsample, of its side and interval.");
}
