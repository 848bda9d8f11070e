// SPDX-License-Identifier: Apache-2.0
// Parts of the engine, for tests: a query never needs them.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <complex>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "mechanisms/discrete/atom_mgf_line.hpp"
#include "mechanisms/dominating_pair.hpp"
#include "methods/chernoff_bound.hpp"
#include "methods/closed_form.hpp"
#include "methods/contour_product.hpp"
#include "methods/contour_sum.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/interval.hpp"
#include "numeric/layer_cake.hpp"
#include "pld/chernoff.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Row = std::tuple<double, double, double, double>;

std::unique_ptr<MgfLine> needed_line(const DominatingPair& pair, double lowest, double tilt, double highest,
                                     double frequency, double log_accuracy, double cut) {
  LineNeeds needs{lowest, tilt, highest, frequency, log_accuracy};
  needs.cut = cut;
  auto line = pair.mgf_line(needs);
  if (!line) throw std::invalid_argument("this pair has no such moment line");
  return line;
}

std::vector<Row> samples(const MgfLine& line, double spacing, std::size_t count) {
  std::vector<Row> rows;
  for (const MomentSample& at : line.samples(spacing, count))
    rows.emplace_back(at.re_less_1, at.im, at.rounding, at.truncation);
  return rows;
}

std::vector<Row> rows_of(const ContourSum& sum, const std::vector<double>& epsilons) {
  std::vector<Row> rows;
  for (const double epsilon : epsilons) {
    const ContourDelta at = sum.delta(epsilon);
    rows.emplace_back(at.value, at.rounding, at.tail, at.alias);
  }
  return rows;
}

std::vector<Row> contour_deltas(const Direction& direction, std::tuple<double, double, double> tilts, double period,
                                std::size_t count, double frequency, double log_accuracy,
                                const std::vector<double>& epsilons) {
  Lines lines;
  const auto [lower, tilt, higher] = tilts;
  for (const Term& term : direction)
    lines.push_back(needed_line(*term.pair, lower, tilt, higher, frequency, log_accuracy, 0));
  return rows_of(ContourSum(ContourProduct(direction, kept(lines), {lower, tilt, higher, period, count})), epsilons);
}

std::vector<Atom> listed(const std::vector<std::pair<double, double>>& atoms) {
  std::vector<Atom> law;
  for (const auto& [loss, mass] : atoms) law.push_back({loss, mass});
  return law;
}

Smoothing smoothing_of(const std::string& side, double deviation) {
  if (side == "none") return {};
  return {side_named(side) == Side::upper ? Smoothing::Side::upper : Smoothing::Side::lower, deviation};
}

std::vector<Row> smoothed_deltas(const StepPmf& step, std::int64_t times, std::tuple<double, double, double> tilts,
                                 double period, std::size_t count, double deviation,
                                 const std::vector<double>& epsilons) {
  const auto [lower, tilt, higher] = tilts;
  Lines lines;
  lines.push_back(line_of(step, tilt));
  const Smoothing smoothing = smoothing_of(step.side == Side::upper ? "upper" : "lower", deviation);
  return rows_of(
      ContourSum(ContourProduct({{nullptr, times}}, kept(lines), {lower, tilt, higher, period, count}), smoothing),
      epsilons);
}

// log M at the tilt and its error; bounds of log M at other tilts; samples from k = 1 on; their modulus beyond; the
// mass that they leave out.
using Given = std::tuple<std::pair<double, double>, std::map<double, double>, std::vector<Row>, double, double>;

// A line whose answers are given.
class GivenLine final : public MgfLine {
 public:
  explicit GivenLine(Given given) : given_(std::move(given)) {}
  Ball log_moment() const override { return {std::get<0>(given_).first, std::get<0>(given_).second}; }
  double log_moment_above(double tilt) const override { return std::get<1>(given_).at(tilt); }
  std::vector<MomentSample> samples(double, std::size_t count) const override {
    std::vector<MomentSample> result{{0, 0, 0, 0}};
    for (const auto& [re_less_1, im, rounding, truncation] : std::get<2>(given_))
      result.push_back({re_less_1, im, rounding, truncation});
    result.resize(count);
    return result;
  }
  double truncation(double) const override { return 0; }
  double modulus_bound(double) const override { return std::get<3>(given_); }
  double left_out() const override { return std::get<4>(given_); }
  std::size_t size() const override { return 1; }

 private:
  Given given_;
};

std::vector<Row> given_deltas(const std::vector<std::pair<Given, std::int64_t>>& lines_given,
                              std::tuple<double, double, double> tilts, double period, std::size_t count,
                              const std::string& side, double deviation, const std::vector<double>& epsilons,
                              std::size_t later) {
  Direction direction, more;
  Lines lines, more_lines;
  for (const auto& [given, times] : lines_given) {
    const bool at_once = direction.size() + later < lines_given.size();
    (at_once ? direction : more).push_back({nullptr, times});
    (at_once ? lines : more_lines).push_back(std::make_unique<GivenLine>(given));
  }
  const auto [lower, tilt, higher] = tilts;
  ContourProduct product(direction, kept(lines), {lower, tilt, higher, period, count});
  product.multiply(more, kept(more_lines));
  return rows_of(ContourSum(product, smoothing_of(side, deviation)), epsilons);
}

double modulus_gap(const std::vector<double>& heights, const std::vector<double>& widths, double frequency) {
  return LayerCake(heights, widths).modulus_gap(frequency);
}

}  // namespace

void bind_contour(py::module_& core) {
  py::module_ module = core.def_submodule("contour", "Parts of the engine, for tests.");
  py::class_<MgfLine>(module, "MomentLine", "Moments E_P[e^(z L)] of a pair on a line Re z = tilt.")
      .def(
          "log_moment",
          [](const MgfLine& line) {
            const Ball at = line.log_moment();
            return std::pair(at.value, at.error);
          },
          "log M at the line's own tilt, and its error.")
      .def("log_moment_above", &MgfLine::log_moment_above, py::arg("tilt"), "Upper bound of log M at a real tilt.")
      .def("samples", &samples, py::arg("spacing"), py::arg("count"),
           "Real and imaginary part of M(tilt + i k spacing) / M(tilt), and the errors by rounding and truncation.")
      .def("modulus_bound", &MgfLine::modulus_bound, py::arg("frequency"),
           "Upper bound of |M(tilt + i w)| / M(tilt) for every w >= frequency.")
      .def("truncation", &MgfLine::truncation, py::arg("frequency"),
           "Error, apart from rounding, of a sample at a frequency.")
      .def("left_out", &MgfLine::left_out, "Upper bound of the mass that no moment counts.")
      .def("size", &MgfLine::size, "Terms of the sum that a sample is.");
  module.def("moment_line", &needed_line, py::arg("pair"), py::arg("lowest"), py::arg("tilt"), py::arg("highest"),
             py::arg("frequency"), py::arg("log_accuracy"), py::arg("cut") = 0.0,
             "The moments of a pair on a line, of all losses but the largest, at most `cut` of them.");
  module.def("contour_deltas", &contour_deltas, py::arg("terms"), py::kw_only(), py::arg("tilts"), py::arg("period"),
             py::arg("count"), py::arg("frequency"), py::arg("log_accuracy"), py::arg("epsilons"),
             "delta at each epsilon by the contour sum: value, and errors by rounding, tail and aliases.");
  module.def("smoothed_deltas", &smoothed_deltas, py::arg("step"), py::arg("times"), py::kw_only(), py::arg("tilts"),
             py::arg("period"), py::arg("count"), py::arg("deviation"), py::arg("epsilons"),
             "delta of a step run `times` times, smoothed from the step's side: as contour_deltas.");
  module.def(
      "given_deltas", &given_deltas, py::arg("lines"), py::kw_only(), py::arg("tilts"), py::arg("period"),
      py::arg("count"), py::arg("side") = "none", py::arg("deviation") = 0.0, py::arg("epsilons"), py::arg("later") = 0,
      "The same of lines that are given: each log M at the tilt and its error, bounds of it at other tilts, samples "
      "from k = 1 on, what |M| / M(tilt) is at most beyond them, the mass that they leave out, and how often the step "
      "is "
      "run; the last `later` of them multiply a product that is there.");
  module.def(
      "step_line",
      [](const StepPmf& step, double tilt) {
        auto line = line_of(step, tilt);
        const auto [infinite, loss_error, above_top, least] = line->uncounted();
        return std::tuple(std::move(line), loss_error, infinite.lower, infinite.upper);
      },
      py::arg("step"), py::arg("tilt"), "The moments of a step; the error of its losses; bounds of its mass at +inf.");
  module.def(
      "atom_line",
      [](const std::vector<std::pair<double, double>>& atoms, double mass_error, double loss_rounding, double tilt,
         double cut, double reach) -> std::unique_ptr<MgfLine> {
        const auto listed_atoms = listed(atoms);
        const FiniteLaw law{listed_atoms, mass_error, infinity, loss_rounding, 0, 0, 0};
        return std::make_unique<AtomMgfLine>(law, tilt, cut, infinity, Decay{reach, 0});
      },
      py::arg("atoms"), py::kw_only(), py::arg("mass_error") = 0.0, py::arg("loss_rounding") = 0.0, py::arg("tilt"),
      py::arg("cut") = 0.0, py::arg("reach") = 0.0,
      "The moments of atoms of these losses and masses, of which at most `cut` an end is left out.");
  module.def(
      "whole_line", [](const DominatingPair& pair, double tilt) { return pair.whole_line(tilt); }, py::arg("pair"),
      py::kw_only(), py::arg("tilt"), "The moments of all losses by a formula; None without one.");
  module.def(
      "closed_atom_line",
      [](const std::vector<std::pair<double, double>>& atoms, double loss_rounding, double tilt, double top,
         double reach, double floor) {
        const auto listed_atoms = listed(atoms);
        const FiniteLaw law{listed_atoms, 0, infinity, loss_rounding, 0, 0, 0};
        auto line = std::make_unique<AtomMgfLine>(law, tilt, 0, top, Decay{reach, floor});
        const std::array closed{line->above_top(), line->closed(), line->closed_error(), line->left_out()};
        return std::pair<std::unique_ptr<MgfLine>, std::array<double, 4>>(std::move(line), closed);
      },
      py::arg("atoms"), py::kw_only(), py::arg("loss_rounding") = 0.0, py::arg("tilt"), py::arg("top"),
      py::arg("reach") = 0.0, py::arg("floor") = 1.0,
      "The moments of atoms closed above `top`; the mass above, what of it is at +inf, their error, what is left out.");
  py::class_<Smoothing>(module, "Smoothing", "Smoothing of a curve from the side 'upper' or 'lower'.")
      .def(py::init(&smoothing_of), py::arg("side"), py::arg("deviation"))
      .def(
          "at",
          [](const Smoothing& smoothing, std::complex<double> z) {
            const auto [value, error] = Smoothing::Line(smoothing, z.real()).at(z.imag());
            return std::pair(value, error);
          },
          py::arg("z"), "The factor of a sample, and its error.")
      .def("bound", &Smoothing::bound, py::arg("tilt"), py::arg("frequency"),
           "Upper bound of |factor| where Im z >= frequency.")
      .def("order", &Smoothing::order, py::arg("frequency"),
           "By how many powers of Im z the bound falls from there on.")
      .def_property_readonly("variance", &Smoothing::variance, "Of what losses are smoothed by [nats^2].");
  module.def(
      "gaussian_delta",
      [](double mu, double mu_error, double epsilon) {
        const auto [lower, upper] = GaussianCurve(mu, mu_error).delta(epsilon);
        return std::pair(lower, upper);
      },
      py::arg("mu"), py::arg("mu_error"), py::arg("epsilon"), "delta of N(mu, 1) against N(0, 1), by its formula.");
  module.def(
      "gaussian_epsilon",
      [](double mu, double mu_error, double delta) {
        const auto [lower, upper] = GaussianCurve(mu, mu_error).epsilon(delta);
        return std::pair(lower, upper);
      },
      py::arg("mu"), py::arg("mu_error"), py::arg("delta"), "epsilon of N(mu, 1) against N(0, 1), by the formula.");
  module.def(
      "chernoff_log_above",
      [](double tilt, double log_moment, double epsilon, double loss_error) {
        ChernoffMoment moment{tilt};
        moment.add(1, log_moment, 0);
        return moment.log_above(epsilon, loss_error);
      },
      py::arg("tilt"), py::arg("log_moment"), py::arg("epsilon"), py::arg("loss_error"),
      "Upper bound of log delta(epsilon) by Chernoff's inequality, given log M above.");
  module.def("negative_moment_above", &negative_moment_above, py::arg("pair"), py::arg("t"),
             "Upper bound of E e^(-t L), 0 < t < 1.");
  module.def("modulus_gap", &modulus_gap, py::arg("heights"), py::arg("widths"), py::arg("frequency"),
             "What a density above a histogram loses of its mass at a frequency and beyond, at least.");
}
