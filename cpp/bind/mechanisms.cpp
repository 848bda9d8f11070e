// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "discretize/pair_delta.hpp"
#include "mechanisms/additive/additive_noise.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// pybind11 holds what it owns by pointer to non-const; the class has no mutating member.
using Pair = std::shared_ptr<DominatingPair>;

Pair owned(const std::shared_ptr<const DominatingPair>& pair) { return std::const_pointer_cast<DominatingPair>(pair); }

Doubles column(const PairCells& cells, double CellMass::* member) {
  Doubles result(static_cast<py::ssize_t>(cells.cells.size()));
  const auto to = out(result);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = cells.cells[i].*member;
  return result;
}

using Function = py::typing::Callable<py::object(Doubles)>;

// A Python function of an array, to be called and dropped from threads that do not hold the GIL.
Noise::Map calling(const py::function& function, const char* name) {
  const auto drop = [](py::function* held) {
    const py::gil_scoped_acquire acquire;
    delete held;
  };
  const std::shared_ptr<py::function> shared(new py::function(function), drop);
  return [shared, name](std::span<const double> x, std::span<double> y) {
    const py::gil_scoped_acquire acquire;
    const py::object returned = (*shared)(Doubles(static_cast<py::ssize_t>(x.size()), x.data()));
    const auto values = Doubles::ensure(returned);
    if (!values) throw py::error_already_set();
    if (values.ndim() != 1 || values.size() != static_cast<py::ssize_t>(y.size()))
      throw py::value_error(std::string(name) + " must return an array of the shape of its argument");
    std::copy_n(values.data(), y.size(), y.begin());
  };
}

}  // namespace

void bind_mechanisms(py::module_& module) {
  py::class_<PairCells>(module, "PairCells", "A dominating pair cut into cells, with error bounds.")
      .def_property_readonly("p", [](const PairCells& c) { return column(c, &CellMass::p); })
      .def_property_readonly("above", [](const PairCells& c) { return column(c, &CellMass::above); })
      .def_property_readonly("below", [](const PairCells& c) { return column(c, &CellMass::below); })
      .def_readonly("lower_tail_p", &PairCells::lower_tail_p)
      .def_readonly("lower_tail_q", &PairCells::lower_tail_q)
      .def_readonly("upper_tail_p", &PairCells::upper_tail_p)
      .def_readonly("upper_tail_above", &PairCells::upper_tail_above)
      .def_readonly("infinity_mass", &PairCells::infinity_mass)
      .def_readonly("infinity_mass_lower", &PairCells::infinity_mass_lower)
      .def_readonly("mass_error", &PairCells::mass_error)
      .def_readonly("share_error", &PairCells::share_error)
      .def_readonly("share_error_p", &PairCells::share_error_p)
      .def_readonly("loss_error", &PairCells::loss_error);
  py::class_<DominatingPair, Pair>(module, "DominatingPair", "Two distributions that dominate a mechanism. Immutable.")
      .def(
          "integrate",
          [](const DominatingPair& pair, const Doubles& edges) {
            const auto at = in(edges);
            const LongWork work;
            return pair.integrate(at);
          },
          py::arg("edges"), "Integrals over the cells between increasing losses.")
      .def(
          "delta_above",
          [](const DominatingPair& pair, const Doubles& epsilons) {
            return each(epsilons, [&](double x) { return pair_delta_above(pair, x); });
          },
          py::arg("epsilons"), "Upper bound of delta at each epsilon.")
      .def("tail_moment_bound", &DominatingPair::tail_moment_bound, py::call_guard<LongWork>(), py::arg("top"),
           py::arg("t"), "Upper bound of E_P[e^(t L); top < L < inf], t > 0.")
      .def("unlisted_moment_bound", &DominatingPair::unlisted_moment_bound, py::call_guard<LongWork>(), py::arg("t"),
           "Upper bound of E_P[e^(t L)] + max(1, t) Q over outcomes of finite loss counted at +inf, t > 0.")
      .def(
          "nodes",
          [](const DominatingPair& pair) {
            const LongWork work;
            LossNodes nodes = pair.nodes();
            return std::pair(std::move(nodes.loss), std::move(nodes.log_mass));
          },
          "Losses and the logarithms of their P-masses, for planning only.")
      .def_property_readonly(
          "infinity_mass",
          [](const DominatingPair& pair) {
            const auto [lower, upper] = pair.infinity_mass();
            return std::pair(lower, upper);
          },
          "Bounds of P(L = inf).")
      .def_property_readonly("loss_infimum", &DominatingPair::loss_infimum)
      .def_property_readonly("loss_supremum", &DominatingPair::loss_supremum);
  module.def(
      "dominating_pair",
      [](const std::string& name, const std::vector<double>& parameters) {
        const LongWork work;
        return owned(dominating_pair(name, parameters));
      },
      py::arg("name"), py::arg("parameters"), "The dominating pair registered under a name.");
  module.def(
      "additive_noise_pair",
      [](const Function& log_density, const Function& distribution, double accuracy, double shift) {
        return owned(additive_noise_pair(
            {calling(log_density, "log_density"), calling(distribution, "distribution"), accuracy}, shift));
      },
      py::arg("log_density"), py::arg("distribution"), py::arg("accuracy"), py::arg("shift"),
      "The pair of a noise given by functions, shifted against itself.");
  module.def("pair_names", &pair_names, "The names of all dominating pairs.");
}
