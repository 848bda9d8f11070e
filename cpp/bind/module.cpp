// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>

#include "bind/bindings.hpp"
#include "numeric/range.hpp"
#include "numeric/simd/cpu.hpp"

void (*bind_internals)(pybind11::module_& module) = nullptr;

namespace {

namespace py = pybind11;

// Protocols 0 and 1 of pickle make an instance of the first base class, over which pybind11 ends the process.
void refuse_to_pickle(const py::module_& module) {
  for (const auto& [name, value] : module.attr("__dict__").cast<py::dict>()) {
    if (!py::isinstance<py::type>(value) || PyObject_IsSubclass(value.ptr(), PyExc_Exception) == 1) continue;
    const std::string problem = "cannot pickle '" + name.cast<std::string>() + "' object";
    value.attr("__reduce__") =
        py::cpp_function([problem](const py::object&) -> py::str { throw py::type_error(problem); },
                         py::name("__reduce__"), py::is_method(value));
  }
}

}  // namespace

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Core of hockeystick: see cpp/README.md for what it certifies.";
  Doubles(0);  // what pybind11 makes of NumPy once, under a lock, is made before anybody can fork
  module.def(
      "ranges",
      [] {
        std::map<std::string, std::pair<double, double>> ends;
        for (const auto& [name, range] : hockeystick::named_ranges) ends[std::string(name)] = {range.low, range.high};
        return ends;
      },
      "The ends of what users may give, by name.");
  bind_long_work(module);
  bind_mechanisms(module);
  bind_pld(module);
  bind_answers(module);
  bind_account(module);
  bind_audit(module);
  bind_run(module);
  bind_matrix(module);
  bind_dpsgd(module);
  bind_search(module);
  bind_outward(module);
  bind_whole_runs(module);
  bind_pld_views(module);
  refuse_to_pickle(module);
  module.def("kernel", &hockeystick::kernel_name, "Name of the vector kernel in use.");
  if (bind_internals != nullptr) bind_internals(module);
}
