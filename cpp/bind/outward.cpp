// SPDX-License-Identifier: Apache-2.0
#include "numeric/outward.hpp"

#include "bind/bindings.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

template <double (*operation)(double, double, bool)>
void two(py::module_& module, const char* name, const char* documentation) {
  module.def(name, py::vectorize([](double a, double b, bool above) { return operation(a, b, above); }), py::arg("a"),
             py::arg("b"), py::arg("above"), documentation);
}

template <double (*function)(double, bool)>
void one(py::module_& module, const char* name, const char* documentation) {
  module.def(name, py::vectorize([](double x, bool above) { return function(x, above); }), py::arg("x"),
             py::arg("above"), documentation);
}

}  // namespace

void bind_outward(py::module_& module) {
  two<outward::sum>(module, "outward_sum", "a + b, rounded to one side.");
  two<outward::product>(module, "outward_product", "a b, rounded to one side.");
  two<outward::quotient>(module, "outward_quotient", "a / b, rounded to one side.");
  one<outward::exp>(module, "outward_exp", "e^x, rounded to one side.");
  one<outward::expm1>(module, "outward_expm1", "e^x - 1, rounded to one side.");
  one<outward::log>(module, "outward_log", "log x, rounded to one side.");
  one<outward::root>(module, "outward_root", "The square root of x >= 0, rounded to one side.");
  module.def(
      "outward_total", [](const Doubles& terms, bool above) { return outward::total(in(terms), above); },
      py::arg("terms"), py::arg("above"), "The sum of all terms, rounded to one side.");
}
