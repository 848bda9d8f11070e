// SPDX-License-Identifier: Apache-2.0
// What errors and moduli of moments on a line are made of, for tests: a query never needs it.
#include <pybind11/stl.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "mechanisms/gaussian/density_mgf_line.hpp"
#include "mechanisms/gaussian/line_cells.hpp"
#include "mechanisms/gaussian/moment_decay.hpp"
#include "mechanisms/gaussian/moment_panels.hpp"
#include "mechanisms/gaussian/moment_strips.hpp"
#include "methods/contour_product.hpp"
#include "numeric/elementary.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Shifts = std::vector<std::pair<double, double>>;  // shifts and their probabilities; the rest is at 0

// States an error of its own for each value.
class GivenMixture final : public LogMixture {
 public:
  GivenMixture(Shifts parts, double error) : parts_(std::move(parts)), error_(error) {}
  void log_mixtures(std::span<const double> x, std::span<LocalLog> to) const override {
    for (std::size_t i = 0; i < x.size(); ++i) {
      double sum = 1, moving = 0;
      for (const auto& [shift, probability] : parts_) {
        const double term = probability * math::exp(shift * x[i] - shift * shift / 2);
        sum += term - probability, moving += shift * term;
      }
      to[i] = {math::log(sum), moving / sum, error_};
    }
  }
  double steepest() const override {
    double most = 0;
    for (const auto& [shift, probability] : parts_) most = std::max(most, shift);
    return most;
  }

 private:
  Shifts parts_;
  double error_;
};

SmoothWeights line_weights(const std::string& form) {
  if (form == "remove") return {1, 1, 0};
  if (form == "add") return {0, -1, 0};
  if (form == "left of 0") return {1, -1, 1};
  return {1, 1, -1};
}

using Needs = std::tuple<double, double, double, double, double, double>;
LineNeeds line_needs(const Needs& needs) {
  const auto& [lowest, tilt, highest, frequency, log_accuracy, cut] = needs;
  LineNeeds result{lowest, tilt, highest, frequency, log_accuracy};
  result.cut = cut;
  return result;
}

// log_mass, slope, slope_behind, bent.
using CellRow = std::tuple<double, double, double, double>;
MomentDecay::Cell cell_of(const CellRow& row) { return std::make_from_tuple<MomentDecay::Cell>(row); }
CellRow cell_row(const MomentDecay::Cell& cell) { return {cell.log_mass, cell.slope, cell.slope_behind, cell.bent}; }

// x, log_density, growth, slope, slope_behind, off.
using EndRow = std::tuple<double, double, double, double, double, double>;
CellEnd cell_end(const EndRow& row) { return std::make_from_tuple<CellEnd>(row); }

// x, density, growth, loss, loss_error, slope, slope_behind.
using BarRow = std::tuple<double, double, double, double, double, double, double>;
BarEnd bar_end_of(const BarRow& row) { return std::make_from_tuple<BarEnd>(row); }

double decay_bound(double steepest, double bends, const std::vector<CellRow>& rows,
                   const std::pair<CellRow, CellRow>& ends, double beyond, double frequency) {
  std::vector<MomentDecay::Cell> cells;
  for (const CellRow& row : rows) cells.push_back(cell_of(row));
  return MomentDecay(steepest, bends, cells, {cell_of(ends.first), cell_of(ends.second)}, beyond).bound(frequency);
}

std::vector<CellRow> cells_between(const std::vector<EndRow>& rows, const std::string& form, double tilt) {
  std::vector<CellEnd> ends;
  for (const EndRow& row : rows) ends.push_back(cell_end(row));
  std::vector<CellRow> result;
  for (const MomentDecay::Cell& cell : decay_cells(ends, line_weights(form), tilt)) result.push_back(cell_row(cell));
  return result;
}

// Remembers where its modulus was asked for.
class AskedLine final : public MgfLine {
 public:
  Ball log_moment() const override { return {0, 0}; }
  double log_moment_above(double) const override { return 0; }
  std::vector<MomentSample> samples(double, std::size_t count) const override {
    return std::vector<MomentSample>(count, MomentSample{0, 0, 0, 0});
  }
  double truncation(double) const override { return 0; }
  double modulus_bound(double frequency) const override { return asked_ = frequency, 1.0; }
  std::size_t size() const override { return 1; }
  double asked() const { return asked_; }

 private:
  mutable double asked_ = 0;
};

double frequency_asked(double period, std::size_t count) {
  const AskedLine line;
  const ContourProduct product({{nullptr, 1}}, [&](std::size_t) -> const MgfLine& { return line; },
                               {0.5, 1, 2, period, count});
  return line.asked();
}

}  // namespace

void bind_lines(py::module_& core) {
  py::module_ module = core.def_submodule("lines", "Shifts of moments on a line, for tests.");
  py::class_<MomentPanels>(module, "MomentPanels",
                           "Panels of a removed or replaced mixture without its largest losses.")
      .def(py::init([](const Shifts& parts, double error, const std::string& form, const Needs& needs) {
             return MomentPanels(GivenMixture(parts, error), line_weights(form), line_needs(needs));
           }),
           py::arg("parts"), py::arg("error"), py::arg("form"), py::arg("needs"),
           "Shifts and probabilities; the error stated for each log; lowest tilt, tilt, highest tilt, frequency, "
           "log_accuracy, cut.")
      .def(
          "nodes",
          [](const MomentPanels& panels) {
            std::vector<std::pair<double, double>> rows;
            for (const auto& [x, weight] : panels.nodes()) rows.emplace_back(x, weight);
            return rows;
          },
          "Points and weights, 16 a panel.")
      .def("left_out", &MomentPanels::left_out, "Upper bound of the mass beyond the last panel.")
      .def("error", &MomentPanels::error, py::arg("tilt"), py::arg("frequency"), py::arg("log_unit"),
           "Upper bound of the error in units of phi(0) e^log_unit.");
  py::class_<MomentStrips>(module, "MomentStrips", "The error of the trapezoid rule of a mixture.")
      .def(py::init([](const Shifts& parts, double error, const std::string& form, const Needs& needs) {
             return MomentStrips(GivenMixture(parts, error), line_weights(form), line_needs(needs));
           }),
           py::arg("parts"), py::arg("error"), py::arg("form"), py::arg("needs"), "As of MomentPanels; no cut.")
      .def("step", &MomentStrips::step, "A step whose errors are within the needs.")
      .def("error", &MomentStrips::error, py::arg("step"), py::arg("tilt"), py::arg("frequency"),
           "Upper bound of the rule's error, relative to the moment.");
  module.def("decay_bound", &decay_bound, py::arg("steepest"), py::arg("bends"), py::arg("cells"), py::arg("ends"),
             py::arg("beyond"), py::arg("frequency"),
             "Upper bound of a modulus by cells of log_mass, slope, slope_behind and bent, and two ends of these.");
  module.def("decay_cells", &cells_between, py::arg("ends"), py::arg("form"), py::arg("tilt"),
             "The cells between ends of x, log_density, growth, slope, slope_behind and off.");
  module.def(
      "upright",
      [](const EndRow& end, const std::string& form) { return cell_row(upright(cell_end(end), line_weights(form))); },
      py::arg("end"), py::arg("form"), "What stands upright at an end.");
  module.def(
      "bar_between",
      [](const BarRow& left, const BarRow& right, const std::string& form, double tilt) {
        const Bar bar = bar_between(bar_end_of(left), bar_end_of(right), line_weights(form), tilt);
        return std::pair(bar.height, bar.width);
      },
      py::arg("left"), py::arg("right"), py::arg("form"), py::arg("tilt"),
      "Height and width of the bar between ends of x, density, growth, loss, loss_error, slope and slope_behind.");
  module.def("frequency_asked", &frequency_asked, py::arg("period"), py::arg("count"),
             "The frequency beyond which a contour of `count` samples asks for moduli.");
}
