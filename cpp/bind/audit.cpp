// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"
#include "mechanisms/gaussian/pure_mu.hpp"

namespace py = pybind11;
using namespace hockeystick;

void bind_audit(py::module_& module) {
  module.def("pure_gdp_mu", &pure_mu_above, py::arg("epsilon"),
             "Upper bound of the mu of Gaussian differential privacy of whatever is epsilon-differentially private.");
}
