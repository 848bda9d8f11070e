// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "curves/given_steps.hpp"
#include "pld/given_step.hpp"

namespace py = pybind11;
using namespace hockeystick;
using Indices = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

namespace {

template <class Function>
Doubles all(const Doubles& values, Function&& function) {
  Doubles result(values.size());
  const auto from = in(values);
  const auto to = out(result);
  const LongWork work;
  function(from, to);
  return result;
}

Indices indices(const StepPmf& step) { return Indices(static_cast<py::ssize_t>(step.index.size()), step.index.data()); }

Doubles masses(const StepPmf& step) { return Doubles(static_cast<py::ssize_t>(step.mass.size()), step.mass.data()); }

using State = py::typing::Tuple<double, double, Indices, Doubles, double, double, double, bool>;

State state_of(const StepPmf& step) {
  return py::make_tuple(step.interval, step.offset, indices(step), masses(step), step.infinity_mass,
                        step.reverse_infinity_mass, step.loss_error, step.side == Side::upper);
}

StepPmf step_of(const State& state) {
  StepPmf step{state[0].cast<double>(),
               state[1].cast<double>(),
               state[2].cast<std::vector<std::int64_t>>(),
               state[3].cast<std::vector<double>>(),
               state[4].cast<double>(),
               state[5].cast<double>(),
               state[6].cast<double>(),
               state[7].cast<bool>() ? Side::upper : Side::lower};
  if (step.index.size() != step.mass.size()) throw std::invalid_argument("index and mass must be equally long");
  return step;
}

}  // namespace

void bind_steps(py::module_& module) {
  py::class_<StepPmf, std::shared_ptr<StepPmf>>(module, "StepPmf", "One step's privacy loss distribution, of one side.")
      .def_readonly("interval", &StepPmf::interval)
      .def_readonly("offset", &StepPmf::offset)
      .def_readonly("index", &StepPmf::index)
      .def_readonly("mass", &StepPmf::mass)
      .def_readonly("infinity_mass", &StepPmf::infinity_mass)
      .def_readonly("reverse_infinity_mass", &StepPmf::reverse_infinity_mass)
      .def_readonly("loss_error", &StepPmf::loss_error)
      .def_property_readonly("side", [](const StepPmf& step) { return side_name(step.side); })
      .def_property_readonly("indices", &indices)
      .def_property_readonly("masses", &masses)
      .def(
          "delta",
          [](const StepPmf& step, const Doubles& epsilons) {
            return each(epsilons, [&](double x) { return step_delta(step, x); });
          },
          py::arg("epsilons"), "Bound of delta at each epsilon, of this side.")
      .def(
          "epsilon",
          [](const StepPmf& step, const Doubles& deltas) {
            return each(deltas, [&](double x) { return step_epsilon(step, x); });
          },
          py::arg("deltas"), "Bound of epsilon at each delta, of this side.")
      .def(py::pickle(&state_of, &step_of));
}

void bind_explicit_steps(py::module_& module) {
  module.def(
      "explicit_step",
      [](double interval, const Indices& index, const Doubles& mass, double infinity_mass, const std::string& side) {
        const std::span<const std::int64_t> at{index.data(), static_cast<std::size_t>(index.size())};
        const auto masses = in(mass);
        const Side of = side_named(side);
        const LongWork work;
        return given_step(interval, at, masses, infinity_mass, of);
      },
      py::kw_only(), py::arg("interval"), py::arg("index"), py::arg("mass"), py::arg("infinity_mass"), py::arg("side"),
      "The step with these masses at these multiples of the interval.");
  using Terms = std::vector<std::pair<std::shared_ptr<StepPmf>, std::int64_t>>;
  py::class_<ExplicitComposition>(module, "ExplicitComposition", "A composition of explicit steps. Immutable.")
      .def(py::init([](const Terms& terms) {
             std::vector<ExplicitComposition::StepCount> counted;
             for (const auto& [step, count] : terms) counted.push_back({step, count});
             const LongWork work;
             return ExplicitComposition(std::move(counted));
           }),
           py::arg("terms"))
      .def("distribution", &ExplicitComposition::distribution, py::call_guard<LongWork>(), py::arg("tail_mass"),
           py::arg("memory_limit"), "The composition on its grid, untilted.")
      .def(
          "delta",
          [](const ExplicitComposition& composition, const Doubles& epsilons, std::size_t memory_limit) {
            return all(epsilons, [&](auto from, auto to) { composition.deltas(from, to, memory_limit); });
          },
          py::arg("epsilons"), py::arg("memory_limit"), "Bound of delta at each epsilon, of the steps' side.")
      .def(
          "epsilon",
          [](const ExplicitComposition& composition, const Doubles& deltas, std::size_t memory_limit) {
            return all(deltas, [&](auto from, auto to) { composition.epsilons(from, to, memory_limit); });
          },
          py::arg("deltas"), py::arg("memory_limit"), "Bound of epsilon at each delta, of the steps' side.");
}
