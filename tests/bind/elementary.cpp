// SPDX-License-Identifier: Apache-2.0
// Of _core.numeric: elementary functions, normal tails and the lower hull.
#include "numeric/elementary.hpp"

#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <array>
#include <complex>
#include <span>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "numeric/complex.hpp"
#include "numeric/hull.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"

namespace py = pybind11;

void bind_normal_and_hull(py::module_& m) {
  m.attr("normal_error") = hockeystick::normal_error;
  m.def("normal_pdf", &hockeystick::normal_pdf, py::arg("x"));
  m.def("normal_tail", &hockeystick::normal_tail, py::arg("x"));
  m.def(
      "upper_normal_quantile",
      [](double p) {
        const auto [lower, upper] = hockeystick::upper_normal_quantile(p);
        return std::make_pair(lower, upper);
      },
      py::arg("p"));
  m.def("normal_interval", &hockeystick::normal_interval, py::arg("a"), py::arg("b"));
  m.def("mills_ratio", &hockeystick::mills_ratio, py::arg("x"));
  m.def(
      "lower_hull",
      [](const std::vector<double>& x, std::vector<double> kink) {
        // Kinks of a function of x: a dropped one divides linearly between its neighbours.
        const auto share = [&](std::size_t l, std::size_t i, std::size_t r) -> hockeystick::KinkShare {
          if (l >= x.size()) return {0, 1};
          const double part = (x[r] - x[i]) / (x[r] - x[l]);
          return {part, 1 - part};
        };
        const auto kept = hockeystick::lower_hull(std::span(kink), 0, share);
        return std::pair(kept, kink);
      },
      py::arg("x"), py::arg("kink"), "Positions kept by the lower hull, and the kinks it leaves.");
}

void bind_elementary(py::module_& m) {
  namespace math = hockeystick::math;
  const std::pair<const char*, double (*)(double)> functions[] = {
      {"exp", math::exp},     {"expm1", math::expm1}, {"log", math::log},   {"log1p", math::log1p},
      {"log2", math::log2},   {"sinh", math::sinh},   {"cosh", math::cosh}, {"asinh", math::asinh},
      {"acosh", math::acosh}, {"sin", math::sin},     {"cos", math::cos},
  };
  for (const auto& [name, function] : functions) m.def(name, py::vectorize(function), py::arg("x"));
  m.def("hypot", py::vectorize(math::hypot), py::arg("x"), py::arg("y"));
  m.def("atan2", py::vectorize(math::atan2), py::arg("y"), py::arg("x"));
  m.def("pow", py::vectorize(math::pow), py::arg("x"), py::arg("y"));
  m.def("quotient",
        py::vectorize([](std::complex<double> a, std::complex<double> b) { return hockeystick::quotient(a, b); }),
        py::arg("a"), py::arg("b"));
  m.def(
      "two_product",
      [](double a, double b) {
        const auto fused = hockeystick::two_product(a, b), halved = hockeystick::two_product_of_halves(a, b);
        return std::array{fused.value, fused.error, halved.value, halved.error};
      },
      py::arg("a"), py::arg("b"), "As the platform does it, and by halves: values and errors.");
}
