// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/typing.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "discretize/menu.hpp"
#include "discretize/pair_delta.hpp"
#include "mechanisms/additive/additive_noise.hpp"
#include "mechanisms/described.hpp"
#include "mechanisms/discrete/wide_discrete_gaussian.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "mechanisms/registry.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

Direction terms_of(const std::vector<std::pair<Pair, std::int64_t>>& pairs) {
  Direction terms;
  for (const auto& [pair, count] : pairs) terms.push_back({pair, count});
  return terms;
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
  module.def(
      "gaussians_about",
      [](double sigma, double moved) {
        return gaussians_about(checked("sigma", sigma, {2e4, 9e11}),
                               checked("moved", moved, {1, 1e6, Range::Ends::closed, true}));
      },
      py::arg("sigma"), py::arg("moved"),
      "The noise multipliers of Gaussians that cost at least, and at most, what discrete Gaussian noise of that sigma "
      "costs, moved by `moved` or by twice that.");
  py::register_exception<NoPair>(module, "NoPairError", PyExc_ValueError).doc() =
      "No dominating pair is known for a comparison; the message is the reason.";
  py::class_<DominatingPair, Pair>(module, "DominatingPair", "Two distributions that dominate a mechanism. Immutable.")
      .def(
          "delta_above",
          [](const DominatingPair& pair, const Doubles& epsilons) {
            return each(epsilons, [&](double x) { return pair_deltas_above(pair, {&x, 1}).front(); });
          },
          py::arg("epsilons"), "Upper bound of delta at each epsilon.")
      .def(
          "loss_nodes",
          [](const DominatingPair& pair) {
            const std::vector<double> losses = pair.nodes().loss;
            return Doubles(static_cast<py::ssize_t>(losses.size()), losses.data());
          },
          "Losses where its law has much of its mass, for guesses; of few atoms all.")
      .def(
          "reverse",
          [](const DominatingPair& pair) -> std::optional<Pair> {
            const auto reverse = pair.reverse();
            if (reverse == nullptr) return {};
            return owned(reverse);
          },
          "The second distribution against the first; None if it is not known from this pair.")
      .def_property_readonly("loss_supremum", &DominatingPair::loss_supremum);
  py::class_<Direction>(module, "Terms",
                        "Pairs of one direction of an adjacency, and how often each is run. Immutable.")
      .def(py::init(&terms_of), py::arg("pairs"))
      .def("__eq__",
           [](const Direction& terms, const py::object& other) {
             return py::isinstance<Direction>(other) && terms == other.cast<const Direction&>();
           })
      .def("__hash__", [](const Direction& terms) {
        const auto next = [](std::size_t hash, const Term& term) {
          return hash * 1000003 ^ std::hash<const void*>{}(term.pair.get()) ^ static_cast<std::size_t>(term.count);
        };
        return std::accumulate(terms.begin(), terms.end(), terms.size(), next);
      });
  py::implicitly_convertible<py::sequence, Direction>();
  module.def(
      "dominating_pair",
      [](const std::string& name, const std::vector<double>& parameters) {
        const LongWork work;
        return owned(dominating_pair(name, parameters));
      },
      py::arg("name"), py::arg("parameters"), "The dominating pair registered under a name.");
  module.def(
      "menu_pair",
      [](const std::vector<Pair>& pairs, const Doubles& losses) {
        const std::vector<std::shared_ptr<const DominatingPair>> known(pairs.begin(), pairs.end());
        const auto at = in(losses);
        const LongWork work;
        return owned(menu_pair(known, at));
      },
      py::arg("pairs"), py::arg("losses"),
      "A pair above all of these, by the largest of their curves at these losses.");
  module.def(
      "additive_noise_pair",
      [](const Function& log_density, const Function& distribution, double accuracy, double shift,
         std::optional<double> steepest) {
        return owned(additive_noise_pair(
            {calling(log_density, "log_density"), calling(distribution, "distribution"), accuracy, steepest}, shift));
      },
      py::arg("log_density"), py::arg("distribution"), py::arg("accuracy"), py::arg("shift"),
      py::arg("steepest") = py::none(), "The pair of a noise given by functions, shifted against itself.");
}
