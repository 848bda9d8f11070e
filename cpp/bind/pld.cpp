// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"
#include "numeric/constants.hpp"
#include "pld/composed_delta.hpp"
#include "pld/hockey_stick.hpp"
#include "pld/reflect.hpp"
#include "pld/tradeoff.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

Doubles mass(const LossPmf& pmf) {
  Doubles result(static_cast<py::ssize_t>(pmf.mass.size()));
  const auto to = out(result);
  {
    const LongWork work;
    probabilities(pmf, to);
  }
  result.attr("flags").attr("writeable") = false;
  return result;
}

Doubles power(const LossPmf& pmf, const Doubles& fprs) {
  const PowerBound any{1, -infinity};
  return each_by(fprs, [&] {
    return [&pmf, any, kinks = certified_kinks(pmf)](double x) {
      return pmf.side == Side::upper ? power_above(kinks, x).value : power_below(kinks, x, any).value;
    };
  });
}

}  // namespace

void bind_pld(py::module_& module) {
  py::class_<LossPmf>(module, "LossPmf", "A composed privacy loss distribution on a grid. Immutable.")
      .def("__len__", [](const LossPmf& pmf) { return pmf.mass.size(); })
      .def_readonly("interval", &LossPmf::interval)
      .def_readonly("first", &LossPmf::first)
      .def_property_readonly("mass", &mass)
      .def_readonly("infinity_mass", &LossPmf::infinity_mass)
      .def_readonly("reverse_infinity_mass", &LossPmf::reverse_infinity_mass)
      .def_property_readonly("slack",
                             [](const LossPmf& pmf) {
                               const LongWork work;
                               return slack(pmf);
                             })
      .def_readonly("loss_error", &LossPmf::loss_error)
      .def_property_readonly("side", [](const LossPmf& pmf) { return side_name(pmf.side); })
      .def(
          "delta",
          [](const LossPmf& pmf, const Doubles& epsilons) {
            return each_by(epsilons,
                           [&] { return [curve = CurveTable(pmf)](double x) { return curve.delta(x).value; }; });
          },
          py::arg("epsilons"), "Certified bound of delta at each epsilon, of this side.")
      .def(
          "epsilon",
          [](const LossPmf& pmf, const Doubles& deltas) {
            return each_by(deltas, [&] { return [curve = CurveTable(pmf)](double x) { return curve.epsilon(x); }; });
          },
          py::arg("deltas"), "Certified bound of epsilon at each delta, of this side.")
      .def("power", &power, py::arg("false_positive_rates"),
           "Certified bound of the largest true positive rate at each, of this side.")
      .def(
          "tradeoff",
          [](const LossPmf& pmf, const Doubles& fprs) {
            Doubles rates = power(pmf, fprs);
            const double towards = pmf.side == Side::upper ? 0 : 1;
            for (double& each : out(rates)) each = complement(each, towards);
            return rates;
          },
          py::arg("false_positive_rates"), "Certified bound of the least false negative rate at each, of this side.")
      .def("reflected", &reflected, py::call_guard<LongWork>(), "The distribution of the reversed pair.");
  module.def(
      "composed_delta",
      [](const LossPmf& first, const LossPmf& second, const Doubles& epsilons) {
        return filled(epsilons, [&](auto from, auto to) { composed_delta(first, second, from, to); });
      },
      py::arg("first"), py::arg("second"), py::arg("epsilons"),
      "Certified bound of delta of the composition, of the side and interval that both share.");
}
