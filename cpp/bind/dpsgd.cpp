// SPDX-License-Identifier: Apache-2.0
#include "run/dpsgd.hpp"

#include <pybind11/stl.h>

#include <cstdint>

#include "bind/answers.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Steps = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>;

Answers dpsgd_answers(const Doubles& noise_multipliers, const Doubles& sampling_probabilities, const Steps& steps,
                      const Doubles& deltas, std::size_t adjacency, double tolerance, std::size_t memory_limit,
                      std::int64_t threads) {
  const DpsgdRuns runs{in(noise_multipliers),
                       in(sampling_probabilities),
                       {steps.data(), static_cast<std::size_t>(steps.size())},
                       in(deltas)};
  const LongWork work;
  const Limits limits{tolerance, memory_limit};
  return checked(dpsgd_epsilon_bounds(runs, dpsgd_pairs(adjacency), limits, threads), "dpsgd_epsilon_bounds",
                 in(deltas), limits);
}

}  // namespace

void bind_dpsgd(py::module_& module) {
  module.def("dpsgd_epsilon_bounds", &dpsgd_answers, py::arg("noise_multipliers"), py::arg("sampling_probabilities"),
             py::arg("steps"), py::arg("deltas"), py::kw_only(), py::arg("adjacency"), py::arg("tolerance"),
             py::arg("memory_limit"), py::arg("threads") = 1, "Encloses epsilon of many runs of DP-SGD.");
}
