// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

#include "account/engine.hpp"
#include "account/explicit_pmf.hpp"
#include "bind/bindings.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using PairCount = std::pair<std::shared_ptr<DominatingPair>, std::int64_t>;

Direction direction_of(const std::vector<PairCount>& terms) {
  Direction direction;
  for (const auto& [pair, count] : terms) direction.push_back({pair, count});
  return direction;
}

Method method_named(const std::string& name) {
  if (name == "contour") return Method::contour;
  return name == "transform" ? Method::transform : Method::any;
}

using Solve = Answer (*)(std::span<const Direction>, double, const Limits&);

std::vector<Answer> solve_each(Solve solve, const std::vector<std::vector<PairCount>>& directions,
                               const Doubles& values, double tolerance, std::size_t memory_limit,
                               const std::string& method) {
  const Limits limits{tolerance, memory_limit, method_named(method)};
  std::vector<Direction> asked;
  for (const auto& terms : directions) asked.push_back(direction_of(terms));
  const auto from = in(values);
  std::vector<Answer> answers;
  {
    py::gil_scoped_release release;
    for (const double value : from) answers.push_back(solve(asked, value, limits));
  }
  return answers;
}

Estimator estimator_named(const std::string& name) {
  if (name == "algorithm_2") return Estimator::algorithm_2;
  return name == "privacy_buckets" ? Estimator::privacy_buckets : Estimator::connect_dots;
}

LossPmf loss_pmf(const std::vector<PairCount>& terms, double interval, const std::string& side,
                 const std::string& estimator, double tail_mass, std::size_t memory_limit,
                 const std::vector<std::int64_t>& support) {
  const Direction direction = direction_of(terms);
  const ExplicitRequest request{
      interval, side == "upper" ? Side::upper : Side::lower, estimator_named(estimator), tail_mass, memory_limit, 0,
      support};
  py::gil_scoped_release release;
  return explicit_pmf(direction, request);
}

}  // namespace

void bind_account(py::module_& module) {
  py::class_<Answer>(module, "Answer", "A certified interval and what its width is made of.")
      .def_readonly("lower", &Answer::lower)
      .def_readonly("upper", &Answer::upper)
      .def_readonly("met", &Answer::met)
      .def_readonly("obstacle", &Answer::obstacle)
      .def_readonly("required_bytes", &Answer::required_bytes)
      .def_readonly("discretization", &Answer::discretization)
      .def_readonly("truncation", &Answer::truncation)
      .def_readonly("wraparound", &Answer::wraparound)
      .def_readonly("rounding", &Answer::rounding)
      .def_readonly("interval", &Answer::interval)
      .def_readonly("size", &Answer::size)
      .def_readonly("tilt", &Answer::tilt)
      .def_readonly("passes", &Answer::passes)
      .def_property_readonly("method", [](const Answer& answer) { return std::string(answer.method); });
  module.def(
      "epsilon_bounds",
      [](const std::vector<std::vector<PairCount>>& directions, const Doubles& deltas, double tolerance,
         std::size_t memory_limit, const std::string& method) {
        return solve_each(&epsilon_bounds, directions, deltas, tolerance, memory_limit, method);
      },
      py::arg("directions"), py::arg("deltas"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "any", "Encloses epsilon at each delta, for the worst direction.");
  module.def(
      "delta_bounds",
      [](const std::vector<std::vector<PairCount>>& directions, const Doubles& epsilons, double tolerance,
         std::size_t memory_limit, const std::string& method) {
        return solve_each(&delta_bounds, directions, epsilons, tolerance, memory_limit, method);
      },
      py::arg("directions"), py::arg("epsilons"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("method") = "any", "Encloses delta at each epsilon, for the worst direction.");
  module.def("loss_pmf", &loss_pmf, py::arg("terms"), py::kw_only(), py::arg("interval"), py::arg("side"),
             py::arg("estimator"), py::arg("tail_mass"), py::arg("memory_limit"),
             py::arg("support") = std::vector<std::int64_t>{},
             "The composed privacy loss distribution of one direction, on a uniform grid.");
}
