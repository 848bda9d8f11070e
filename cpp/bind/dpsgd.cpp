// SPDX-License-Identifier: Apache-2.0
#include "account/dpsgd.hpp"

#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Steps = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

// The answers' numbers, a row each, and the index of the first answer that is wider than asked for.
std::pair<Doubles, std::optional<std::size_t>> table_of(const std::vector<Answer>& answers) {
  static constexpr std::array fields{&Answer::lower,      &Answer::upper,      &Answer::discretization,
                                     &Answer::truncation, &Answer::wraparound, &Answer::rounding};
  const std::size_t size = answers.size();
  Doubles table({fields.size(), size});
  const auto to = out(table);
  std::optional<std::size_t> unmet;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < fields.size(); ++k) to[k * size + i] = answers[i].*fields[k];
    if (!answers[i].met && !unmet) unmet = i;
  }
  return {table, unmet};
}

std::pair<Doubles, std::optional<std::size_t>> dpsgd_table(const Doubles& noise_multipliers,
                                                           const Doubles& sampling_probabilities, const Steps& steps,
                                                           const Doubles& deltas, const std::vector<std::string>& pairs,
                                                           double noise_divisor, double tolerance,
                                                           std::size_t memory_limit) {
  const DpsgdRuns runs{in(noise_multipliers),
                       in(sampling_probabilities),
                       {steps.data(), static_cast<std::size_t>(steps.size())},
                       in(deltas)};
  std::vector<Answer> answers;
  {
    py::gil_scoped_release release;
    answers = dpsgd_epsilon_bounds(runs, {pairs, noise_divisor}, {tolerance, memory_limit});
  }
  return table_of(answers);
}

}  // namespace

void bind_dpsgd(py::module_& module) {
  module.def("dpsgd_epsilon_bounds", &dpsgd_table, py::arg("noise_multipliers"), py::arg("sampling_probabilities"),
             py::arg("steps"), py::arg("deltas"), py::kw_only(), py::arg("pairs"), py::arg("noise_divisor"),
             py::arg("tolerance"), py::arg("memory_limit"),
             "Encloses epsilon of many runs of DP-SGD: a row per number of an answer, and the first not met.");
}
