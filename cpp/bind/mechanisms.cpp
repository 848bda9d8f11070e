// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "bind/bindings.hpp"
#include "mechanisms/gaussian.hpp"
#include "mechanisms/poisson_gaussian.hpp"
#include "numeric/rounding.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// pybind11 holds what it owns by pointer to non-const; the class has no mutating member.
using Pair = std::shared_ptr<DominatingPair>;

Pair owned(const std::shared_ptr<const DominatingPair>& pair) {
  return std::const_pointer_cast<DominatingPair>(pair);
}

}  // namespace

void bind_mechanisms(py::module_& module) {
  py::class_<DominatingPair, Pair>(module, "DominatingPair",
                                   "Two distributions that dominate a mechanism. Immutable.");
  module.def(
      "gaussian",
      [](double noise_multiplier) {
        return owned(gaussian_pair(1 / noise_multiplier, unit_roundoff));
      },
      py::kw_only(), py::arg("noise_multiplier"), "N(1/noise_multiplier, 1) against N(0, 1).");
  module.def(
      "poisson_gaussian_remove",
      [](double noise_multiplier, double q) {
        return owned(poisson_gaussian_remove(1 / noise_multiplier, q));
      },
      py::kw_only(), py::arg("noise_multiplier"), py::arg("sampling_probability"),
      "((1-q) N(0) + q N(mu), N(0)).");
  module.def(
      "poisson_gaussian_add",
      [](double noise_multiplier, double q) {
        return owned(poisson_gaussian_add(1 / noise_multiplier, q));
      },
      py::kw_only(), py::arg("noise_multiplier"), py::arg("sampling_probability"),
      "(N(0), (1-q) N(0) + q N(mu)).");
  module.def(
      "poisson_gaussian_replace",
      [](double noise_multiplier, double q) {
        return owned(poisson_gaussian_replace(1 / noise_multiplier, q));
      },
      py::kw_only(), py::arg("noise_multiplier"), py::arg("sampling_probability"),
      "((1-q) N(0) + q N(mu), (1-q) N(0) + q N(-mu)).");
}
