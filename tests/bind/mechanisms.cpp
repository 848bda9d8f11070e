// SPDX-License-Identifier: Apache-2.0
// What tests ask of a dominating pair itself: its cells, its ends, its moments.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "discretize/jensen_integral.hpp"
#include "discretize/pair_delta.hpp"
#include "mechanisms/adjacency.hpp"
#include "mechanisms/allocation/allocated_pair.hpp"
#include "mechanisms/allocation/far_losses.hpp"
#include "mechanisms/described.hpp"
#include "mechanisms/discrete/sampled_moment.hpp"
#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/gaussian/mixture_loss.hpp"
#include "mechanisms/known_pairs.hpp"
#include "mechanisms/registry.hpp"
#include "methods/trivial_bounds.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// Of outcomes (loss, P-mass, Q-mass), the errors of masses and losses, and the Q-mass that is not listed.
std::pair<double, double> sampled_moment(const std::vector<std::tuple<double, double, double>>& outcomes,
                                         const std::tuple<double, double, double>& lacks, double rate,
                                         const std::pair<double, double>& plain, double t) {
  std::vector<LossAtom> atoms;
  for (const auto& [loss, p, q] : outcomes) atoms.push_back({loss, p, q});
  const auto [mass_error, loss_error, unlisted] = lacks;
  const auto [lower, upper] =
      sampled_log_moment({atoms, mass_error, loss_error, unlisted}, rate, {plain.first, plain.second}, t);
  return {lower, upper};
}

Doubles column(const PairCells& cells, double CellMass::* member) {
  Doubles result(static_cast<py::ssize_t>(cells.cells.size()));
  const auto to = out(result);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = cells.cells[i].*member;
  return result;
}

py::tuple numbers_of(const PairName& name) {
  py::object step = py::none();
  if (name.step) step = numbers_of(*name.step);
  return py::make_tuple(name.name, name.parameters, step);
}

// The names and parameters of the pair above, or of those below; `cells` 0: of moments, below and above.
std::vector<py::tuple> enclosing_names(const py::object& one, std::size_t comparison, double cells, double tail,
                                       bool above) {
  const Mechanism mechanism = mechanism_of(one);
  const Enclosure& enclosure = *mechanism->kind->enclosure;
  const auto way = static_cast<Comparison>(comparison);
  const Accuracy accuracy{cells, tail};
  std::vector<py::tuple> all;
  if (cells == 0)
    for (const PairName& name : enclosure.beyond_curve(*mechanism, way, accuracy, Aspect::moments))
      all.push_back(numbers_of(name));
  else if (above)
    all.push_back(numbers_of(enclosure.above(*mechanism, way, accuracy)));
  else
    for (const PairName& name : enclosure.below(*mechanism, way, accuracy)) all.push_back(numbers_of(name));
  return all;
}

Pair allocated(const Pair& step, double steps, double cells, double tail, bool above, bool back) {
  const LongWork work;
  return owned(allocated_pair(*step, {steps, cells, tail, above ? Order::above : Order::below, back}));
}

Pair moments(const Pair& step, double steps, bool back) {
  const LongWork work;
  return owned(allocated_moments(step, steps, back));
}

Pair far(const Pair& curve, const Pair& step, double steps, bool back) {
  const LongWork work;
  return owned(with_far_losses(curve, step, steps, back));
}

// E_P[g(L)] up to the last edge, of g with the same bounds below the first one: at most `tail`, at least minus that.
std::pair<double, double> integral_of(const DominatingPair& pair, const std::vector<double>& edges,
                                      const std::function<double(double)>& value,
                                      const std::function<double(double)>& slope, double bend,
                                      const std::function<double(double)>& tail) {
  const auto least = [&](double end) { return -tail(end); };
  const auto [lower, upper] = loss_integral(pair.integrate(edges), edges, {value, slope, bend, least, tail});
  return {lower, upper};
}

std::optional<std::pair<double, double>> next_to_largest(
    const std::vector<std::pair<std::shared_ptr<const DominatingPair>, std::int64_t>>& terms, double epsilon,
    double tolerance) {
  Direction direction;
  for (const auto& [pair, count] : terms) direction.push_back({pair, count});
  const auto answer = delta_next_to_largest_loss(direction, epsilon, tolerance);
  if (!answer) return std::nullopt;
  return std::pair(answer->lower, answer->upper);
}

// The loss of a Gaussian mixture, its slope and the error at each point, or those with the posterior weights.
std::vector<std::tuple<double, double, double>> mixture_losses(double deviation, double rate,
                                                               const std::vector<double>& sensitivities,
                                                               const std::vector<double>& weights,
                                                               const std::vector<double>& x, bool with_weights) {
  const MixtureLoss mixture(deviation, rate, sensitivities, weights);
  std::vector<MixtureLoss::LossAt> losses(x.size());
  mixture.losses(x, losses);
  std::vector<double> posterior(mixture.size());
  std::vector<std::tuple<double, double, double>> result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto [loss, slope, error] = with_weights ? mixture.posterior(x[i], posterior.data()) : losses[i];
    result.emplace_back(loss, slope, error);
  }
  return result;
}

// Name, range and value if left out of each argument of a mechanism: lowest and highest with whether each is in the
// range, whether numbers are whole, whether 0 is allowed too, and whether there are several.
py::list arguments_of(const std::string& type) {
  py::list all;
  for (const Argument& argument : mechanism_kind(type).arguments) {
    using Ends = Range::Ends;
    const auto& [low, high, ends, whole, infinite] = argument.range;
    all.append(py::make_tuple(std::string(argument.name), low, high, ends == Ends::closed || ends == Ends::open_above,
                              ends == Ends::closed || ends == Ends::open_below, whole, argument.or_zero,
                              argument.kind == Argument::Kind::list, argument.otherwise));
  }
  return all;
}

}  // namespace

void bind_pairs(py::module_& module) {
  module.attr("parts").attr("adjacencies") = [] {
    py::dict all;
    for (const Adjacency& adjacency : adjacencies) {
      py::list ways;
      for (const Comparison way : adjacency.comparisons)
        ways.append(py::make_tuple(static_cast<int>(way), std::string(form(way)), static_cast<int>(reversed(way)),
                                   replaces(way), is_backward(way)));
      all[py::str(std::string(adjacency.name))] = ways;
    }
    return all;
  }();
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
  using Pairs = py::class_<DominatingPair, std::shared_ptr<DominatingPair>>;
  py::reinterpret_borrow<Pairs>(module.attr("DominatingPair"))
      .def(
          "integrate",
          [](const DominatingPair& pair, const Doubles& edges) {
            const auto at = in(edges);
            const LongWork work;
            return pair.integrate(at);
          },
          py::arg("edges"), "Integrals over the cells between increasing losses.")
      .def(
          "deltas_above",
          [](const DominatingPair& pair, const Doubles& epsilons) {
            return filled(epsilons,
                          [&](auto at, auto to) { std::ranges::copy(pair_deltas_above(pair, at), to.begin()); });
          },
          py::arg("epsilons"), "Upper bounds of delta at epsilons that increase, by one integral for all.")
      .def("tail_moment_bound", &DominatingPair::tail_moment_bound, py::call_guard<LongWork>(), py::arg("top"),
           py::arg("t"), "Upper bound of E_P[e^(t L); top < L < inf], t > 0.")
      .def("unlisted_moment_bound", &DominatingPair::unlisted_moment_bound, py::call_guard<LongWork>(), py::arg("t"),
           "Upper bound of E_P[e^(t L)] + max(1, t) Q over outcomes of finite loss counted at +inf, t > 0.")
      .def(
          "log_moment_bounds",
          [](const DominatingPair& pair, double t) {
            const auto [lower, upper] = pair.log_moment_bounds(t);
            return std::pair(lower, upper);
          },
          py::arg("t"), "Bounds of log E_P[e^(t L)].")
      .def("renyi_slope_bound", &DominatingPair::renyi_slope_bound, py::arg("order"),
           "Upper bound of D_a / a for all orders a from there on.")
      .def(
          "law_errors",
          [](const DominatingPair& pair) {
            const auto law = pair.finite_law();
            return law ? std::optional(std::pair(law->mass_error, law->loss_error)) : std::nullopt;
          },
          "Errors of every mass, relative, and of every loss, if all finite losses are atoms.")
      .def_property_readonly(
          "loss_rounding", [](const DominatingPair& pair) { return pair.finite_law().value().loss_rounding; },
          "Error of every loss, relative to itself, of a law of atoms.")
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
      .def_property_readonly("loss_infimum", &DominatingPair::loss_infimum);
  module.attr("parts").attr("described_pair_name") = py::cpp_function([](const py::object& one, std::size_t way) {
    return dominating_pair_name(*mechanism_of(one), static_cast<Comparison>(way)).name;
  });
  module.attr("parts").attr("arguments_of") = py::cpp_function(&arguments_of);
  module.attr("parts").attr("held_pairs") = py::cpp_function([] {
    const auto [number, bytes] = held_pairs();
    return std::pair(number, bytes);
  });
  module.attr("parts").attr("enclosing_names") = py::cpp_function(&enclosing_names);
  module.attr("parts").attr("allocated_pair") =
      py::cpp_function(&allocated, py::arg("step"), py::arg("steps"), py::arg("cells"), py::arg("tail"), py::kw_only(),
                       py::arg("above"), py::arg("back"));
  module.attr("parts").attr("allocated_moments") =
      py::cpp_function(&moments, py::arg("step"), py::arg("steps"), py::kw_only(), py::arg("back"));
  module.attr("parts").attr("with_far_losses") =
      py::cpp_function(&far, py::arg("curve"), py::arg("step"), py::arg("steps"), py::kw_only(), py::arg("back"));
  module.attr("parts").attr("loss_integral") = py::cpp_function(&integral_of);
  module.attr("parts").attr("next_to_largest_loss") = py::cpp_function(&next_to_largest);
  module.attr("parts").attr("mixture_losses") = py::cpp_function(&mixture_losses);
  module.attr("parts").attr("sampled_log_moment") = py::cpp_function(&sampled_moment);
  module.attr("parts").attr("pair_names") = py::cpp_function(&pair_names);
}
