// SPDX-License-Identifier: Apache-2.0
// What is made of the answers of sides, which tests give.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bind/answers.hpp"
#include "run/enclosing.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Ends = std::pair<Doubles, Doubles>;
constexpr std::array aspects{"curve", "moments", "far", "largest"};

std::vector<Interval> intervals_of(const Ends& ends) {
  const auto lower = in(ends.first), upper = in(ends.second);
  std::vector<Interval> all;
  for (std::size_t i = 0; i < lower.size(); ++i) all.push_back({lower[i], upper[i]});
  return all;
}

// In order: cells, tail, one of aspects, points.
using Ask = std::function<Answers(double, double, std::string, std::vector<double>)>;

// What the function of the core of that name asks of a curve.
Wanted wanted_by(const std::string& question) {
  constexpr std::pair<std::string_view, Wanted> all[] = {
      {"epsilon_bounds", Wanted::epsilon}, {"delta_bounds", Wanted::delta},   {"power_bounds", Wanted::power},
      {"gdp_bounds", Wanted::rates},       {"renyi_bounds", Wanted::moments}, {"zcdp_bounds", Wanted::moments},
      {"bayes_risk_bounds", Wanted::risk}};
  for (const auto& [name, wanted] : all)
    if (name == question) return wanted;
  throw std::invalid_argument("question must be one of a curve, got " + question);
}

Answers answers_between(const std::string& question_name, const Doubles& points, const Ask& above, const Ask& below,
                        bool closes, std::int64_t runs, double tolerance, double smallest,
                        const std::optional<Ends>& known) {
  const auto side = [](const Ask& ask) {
    return [&ask](const SideAccuracy& at, std::span<const double> which) {
      const char* word = aspects[static_cast<std::size_t>(at.aspect)];
      return ask(at.cells, at.tail, word, {which.begin(), which.end()}).items;
    };
  };
  const std::vector<Interval> besides = known ? intervals_of(*known) : std::vector<Interval>{};
  EnclosedQuestion question;
  question.wanted = wanted_by(question_name), question.closes = closes;
  question.runs = runs, question.tolerance = tolerance, question.smallest = smallest;
  Answers found{enclosed_answers(question, in(points), side(above), side(below), besides)};
  for (const Answer& one : found.items)
    if (!(one.lower <= one.upper))
      throw InternalError("pairs below and above came to lower = " + written(one.lower) +
                          " above upper = " + written(one.upper) +
                          ". This is a mistake in hockeystick, and no bounds are known: please report it");
  return found;
}

}  // namespace

void bind_sides(py::module_& module) {
  module.attr("parts").attr("enclosed") = py::cpp_function(
      &answers_between, py::arg("question"), py::arg("points"), py::arg("above"), py::arg("below"), py::kw_only(),
      py::arg("closes"), py::arg("runs"), py::arg("tolerance"), py::arg("smallest") = 0.0, py::arg("known"));
}
