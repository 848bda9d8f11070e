// SPDX-License-Identifier: Apache-2.0
#include "bind/answers.hpp"

#include <pybind11/stl.h>

#include <array>
#include <sstream>
#include <string>
#include <utility>

namespace py = pybind11;
using namespace hockeystick;

namespace {

constexpr std::array fields{&Answer::lower,      &Answer::upper,      &Answer::discretization,
                            &Answer::truncation, &Answer::wraparound, &Answer::rounding};

std::array<double, fields.size()> row(const Answer& answer) {
  std::array<double, fields.size()> values;
  for (std::size_t k = 0; k < fields.size(); ++k) values[k] = answer.*fields[k];
  return values;
}

}  // namespace

Doubles Answers::table() const {
  const std::size_t size = items.size();
  Doubles table({fields.size(), size});
  const auto to = out(table);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t k = 0; k < fields.size(); ++k) to[k * size + i] = items[i].*fields[k];
  return table;
}

std::optional<std::size_t> Answers::unmet() const {
  for (std::size_t i = 0; i < items.size(); ++i)
    if (!items[i].converged && items[i].limited_by != "theory") return i;
  return {};
}

std::string_view Answers::theory() const {
  for (const Answer& item : items)
    if (item.limited_by == "theory") return item.limited_by;
  return {};
}

Answers checked(std::vector<Answer> items, const char* question, std::span<const double> points, const Limits& limits) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].lower <= items[i].upper) continue;
    std::ostringstream text;
    text.precision(17);
    text
        << question << " at " << points[i] << " with tolerance = " << limits.tolerance
        << " and memory_limit = " << limits.memory_limit << " came to lower = " << items[i].lower
        << ", upper = " << items[i].upper
        << ". This is a mistake in hockeystick, and no bounds are known: please report it with the mechanisms asked of";
    throw InternalError(text.str());
  }
  return {std::move(items)};
}

void bind_answers(py::module_& module) {
  py::register_exception<InternalError>(module, "InternalError", PyExc_RuntimeError).doc() =
      "Bounds came out that cannot be: a mistake in hockeystick, not in the question. Please report it.";
  module.attr("largest_loss_rounding") = largest_loss_rounding;
  py::class_<Answer>(module, "Answer", "A certified interval and what its width is made of.")
      .def_readonly("lower", &Answer::lower)
      .def_readonly("upper", &Answer::upper)
      .def_readonly("converged", &Answer::converged)
      .def_readonly("limited_by", &Answer::limited_by)
      .def_readonly("cost", &Answer::cost)
      .def_readonly("total_cost", &Answer::total_cost)
      .def_readonly("required_bytes", &Answer::required_bytes)
      .def_readonly("discretization", &Answer::discretization)
      .def_readonly("truncation", &Answer::truncation)
      .def_readonly("wraparound", &Answer::wraparound)
      .def_readonly("rounding", &Answer::rounding)
      .def_readonly("interval", &Answer::interval)
      .def_readonly("size", &Answer::size)
      .def_readonly("tilt", &Answer::tilt)
      .def_readonly("passes", &Answer::passes)
      .def_readonly("method", &Answer::method);
  py::class_<Answers>(module, "Answers", "The answers to one call.")
      .def("__len__", [](const Answers& answers) { return answers.items.size(); })
      .def(
          "__getitem__",
          [](const Answers& answers, std::size_t i) {
            if (i >= answers.items.size()) throw py::index_error();
            return answers.items[i];
          },
          py::arg("index"))
      .def("table", &Answers::table, "lower, upper and the error budget: a row each, a column for each answer.")
      .def(
          "row", [](const Answers& answers, std::size_t i) { return row(answers.items.at(i)); }, py::arg("index"),
          "A column of the table, as floats.")
      .def(
          "end",
          [](const Answers& answers, bool lower) -> std::optional<double> {
            if (answers.items.size() != 1 || answers.unmet()) return {};
            return lower ? answers.items.front().lower : answers.items.front().upper;
          },
          py::arg("lower"), "The lower or the upper end of the only answer; None if it is too wide, or not alone.")
      .def("unmet", &Answers::unmet, "The index of the first answer that is wider than asked for, and not by theory.")
      .def("theory", &Answers::theory, "'theory' if that limits one of them, else ''.");
}
