// SPDX-License-Identifier: Apache-2.0
// Parts of the bounds by the number of large losses, for tests.
#include "plan/large_loss.hpp"

#include <pybind11/stl.h>

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "bind/bindings.hpp"
#include "methods/exponential_fit.hpp"
#include "methods/middle_losses.hpp"
#include "methods/one_large_loss.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Bounded = std::pair<double, double>;
using TiltRows = std::vector<Bounded>;  // tilts and logarithms of moments

Bounded ends_of(const Interval& found) { return {found.lower, found.upper}; }

TiltRows tilt_rows(const ChernoffTable& table) {
  TiltRows rows;
  for (const auto& [tilt, log_moment] : table.rows()) rows.emplace_back(tilt, log_moment);
  return rows;
}

ChernoffTable table_of(const TiltRows& rows) {
  ChernoffTable table;
  for (const auto& [tilt, log_moment] : rows) table.add(tilt, log_moment);
  return table;
}

Bounded middle_log_moment(const std::vector<std::tuple<double, double, double>>& cells,
                          const std::vector<double>& edges, std::array<double, 4> errors, Bounded outside,
                          double tilt) {
  PairCells parts;
  for (const auto& [p, above, below] : cells) parts.cells.push_back({p, above, below});
  parts.mass_error = errors[0], parts.share_error = errors[1], parts.share_error_p = errors[2];
  parts.loss_error = errors[3];
  return ends_of(MiddleLosses(parts, edges, {outside.first, outside.second}).log_moment(tilt));
}

// Losses, deltas, e^loss Q(L >= loss), errors, the mass at +inf.
using GivenKnots =
    std::tuple<std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>, Bounded>;

CurveKnots given_knots(const GivenKnots& given) {
  const auto& [loss, delta, called, error, infinite] = given;
  return {loss, delta, called, error, {infinite.first, infinite.second}};
}

std::tuple<std::vector<double>, std::vector<Bounded>, double> fit_of(const GivenKnots& given, double epsilon,
                                                                     double centre, double unit, double within,
                                                                     double at, bool tail) {
  const CurveKnots knots = given_knots(given);
  const ExponentialFit found(knots, epsilon, centre, unit, within, tail ? StepCurve::tail : StepCurve::delta);
  std::vector<Bounded> apart;
  for (const auto& [above, below] : found.apart(knots, at)) apart.emplace_back(above, below);
  return {{found.weights().begin(), found.weights().end()}, apart, found.largest(centre)};
}

GivenKnots summed_knots(const std::vector<std::pair<double, double>>& cells, std::pair<double, double> beyond,
                        std::array<double, 4> errors, Bounded infinite, const std::vector<double>& losses) {
  PairCells parts;
  parts.cells.resize(1);  // before the first of these
  for (const auto& [p, above] : cells) parts.cells.push_back({p, above, 0});
  parts.upper_tail_p = beyond.first, parts.upper_tail_above = beyond.second;
  parts.mass_error = errors[0], parts.share_error = errors[1], parts.share_error_p = errors[2];
  parts.loss_error = errors[3];
  parts.infinity_mass_lower = infinite.first, parts.infinity_mass = infinite.second;
  const CurveKnots knots = curve_knots(parts, 1, losses);
  return {knots.loss, knots.delta, knots.called, knots.error, infinite};
}

LargeLossPlan plan_of(double epsilon, double threshold, double centre, double deviation, double rate) {
  return {epsilon, threshold, centre, deviation, rate, 0, 0};
}

}  // namespace

void bind_large_loss(py::module_& core) {
  py::module_ module = core.def_submodule("large_loss", "Bounds by the number of large losses, for tests.");
  module.def("middle_log_moment", &middle_log_moment, py::arg("cells"), py::arg("edges"), py::kw_only(),
             py::arg("errors"), py::arg("outside"), py::arg("tilt"),
             "Encloses log E e^(tilt L) over cells (p, above, below), given the errors of masses, shares (twice) and "
             "losses, and the mass outside.");
  module.def(
      "chernoff", [](const TiltRows& rows, double s) { return table_of(rows).at(s); }, py::arg("rows"), py::arg("s"),
      "The least e^(log M - tilt s).");
  module.def("knots", &summed_knots, py::arg("cells"), py::arg("beyond"), py::kw_only(), py::arg("errors"),
             py::arg("infinite"), py::arg("losses"),
             "The curve at losses, from cells (p, above) between them and beyond, and errors as above.");
  module.def("fit", &fit_of, py::arg("knots"), py::arg("epsilon"), py::kw_only(), py::arg("centre"), py::arg("unit"),
             py::arg("within"), py::arg("at"), py::arg("tail") = false,
             "Weights of exponentials, how far the curve is above and below them at the epsilon `at`, and the sum of "
             "their absolute values at the centre.");
  module.def(
      "average_apart",
      [](const std::vector<double>& loss, const std::vector<double>& apart, double epsilon, double centre,
         const TiltRows& above, const TiltRows& below, double right, double left) {
        return average_apart(loss, apart, epsilon, centre, table_of(above), table_of(below), right, left);
      },
      py::arg("loss"), py::arg("apart"), py::arg("epsilon"), py::kw_only(), py::arg("centre"), py::arg("above"),
      py::arg("below"), py::arg("right"), py::arg("left"));
  py::class_<OneLargeLoss>(module, "Split", "delta by the number of large losses.")
      .def(py::init([](const Direction& terms, double epsilon, double threshold, double centre, double deviation,
                       double rate, double tolerance, int fineness, double rare, bool tail) {
             return OneLargeLoss(terms, plan_of(epsilon, threshold, centre, deviation, rate), tolerance, fineness, rare,
                                 tail ? StepCurve::tail : StepCurve::delta);
           }),
           py::arg("terms"), py::arg("epsilon"), py::kw_only(), py::arg("threshold"), py::arg("centre"),
           py::arg("deviation"), py::arg("rate"), py::arg("tolerance"), py::arg("fineness"), py::arg("rare"),
           py::arg("tail") = false)
      .def("none", &OneLargeLoss::none)
      .def("more", &OneLargeLoss::more)
      .def("one", [](const OneLargeLoss& split) { return ends_of(split.one()); })
      .def("all", [](const OneLargeLoss& split) { return ends_of(split.all()); })
      .def("log_spared", &OneLargeLoss::log_spared)
      .def("loss_error", &OneLargeLoss::loss_error)
      .def("above", [](const OneLargeLoss& split) { return tilt_rows(split.above()); })
      .def("below", [](const OneLargeLoss& split) { return tilt_rows(split.below()); });
  module.def(
      "plan",
      [](const Direction& terms, double epsilon, double tolerance) -> std::optional<std::array<double, 6>> {
        const auto found = plan_large_loss(Saddlepoint(terms), epsilon, tolerance);
        if (!found) return {};
        const LargeLossPlan plan = aimed(*found, terms);
        return std::array{plan.threshold, plan.centre, plan.deviation, plan.rate, plan.delta, plan.missed};
      },
      py::arg("terms"), py::arg("epsilon"), py::arg("tolerance") = 1e-3,
      "Threshold, centre and deviation of the sum of small losses, rate, delta, what is missed; None where not one "
      "large loss decides.");
  module.def(
      "large_losses",
      [](double epsilon, double threshold, double centre, double deviation, double rate, double tolerance) {
        return large_losses(plan_of(epsilon, threshold, centre, deviation, rate), tolerance);
      },
      py::arg("epsilon"), py::kw_only(), py::arg("threshold"), py::arg("centre"), py::arg("deviation"), py::arg("rate"),
      py::arg("tolerance"));
  module.def(
      "cost",
      [](const Direction& terms, double epsilon, double tolerance, bool tail) {
        const auto found = plan_large_loss(Saddlepoint(terms), epsilon, tolerance);
        return found ? large_loss_cost(aimed(*found, terms), terms.size(), tolerance, tail) : infinity;
      },
      py::arg("terms"), py::arg("epsilon"), py::kw_only(), py::arg("tolerance") = 1e-3, py::arg("tail") = false);
  module.def(
      "tail",
      [](const Direction& terms, double epsilon, double tolerance) {
        return ends_of(tail_by_large_losses(terms, Saddlepoint(terms), epsilon, tolerance));
      },
      py::arg("terms"), py::arg("epsilon"), py::kw_only(), py::arg("tolerance") = 1e-3);
  module.def("small_losses", &small_losses, py::arg("pair"), py::kw_only(), py::arg("threshold"), py::arg("rare"),
             py::arg("fineness"));
}
