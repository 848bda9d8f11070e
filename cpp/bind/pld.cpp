// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"
#include "pld/query.hpp"
#include "pld/reflect.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

Doubles mass(const LossPmf& pmf) {
  Doubles result(static_cast<py::ssize_t>(pmf.mass.size()));
  probabilities(pmf, out(result));
  result.attr("flags").attr("writeable") = false;
  return result;
}

template <class Function>
Doubles each(const Doubles& values, Function&& function) {
  Doubles result(values.size());
  const auto from = in(values);
  const auto to = out(result);
  py::gil_scoped_release release;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = function(from[i]);
  return result;
}

}  // namespace

void bind_pld(py::module_& module) {
  py::class_<LossPmf>(module, "LossPmf", "A composed privacy loss distribution on a grid. Immutable.")
      .def_readonly("interval", &LossPmf::interval)
      .def_readonly("first", &LossPmf::first)
      .def_property_readonly("mass", &mass)
      .def_readonly("infinity_mass", &LossPmf::infinity_mass)
      .def_readonly("reverse_infinity_mass", &LossPmf::reverse_infinity_mass)
      .def_property_readonly("slack", [](const LossPmf& pmf) { return slack(pmf); })
      .def_readonly("loss_error", &LossPmf::loss_error)
      .def_property_readonly(
          "side", [](const LossPmf& pmf) { return pmf.side == Side::upper ? "upper" : "lower"; })
      .def(
          "delta",
          [](const LossPmf& pmf, const Doubles& epsilons) {
            return each(epsilons, [&](double x) { return certified_delta(pmf, x).value; });
          },
          py::arg("epsilons"), "Certified bound of delta at each epsilon, of this side.")
      .def(
          "epsilon",
          [](const LossPmf& pmf, const Doubles& deltas) {
            return each(deltas, [&](double x) { return certified_epsilon(pmf, x); });
          },
          py::arg("deltas"), "Certified bound of epsilon at each delta, of this side.")
      .def("reflected", &reflected, "The distribution of the reversed pair.");
}
