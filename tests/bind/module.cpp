// SPDX-License-Identifier: Apache-2.0
// All internals that tests ask for.
#include "bind/bindings.hpp"

namespace py = pybind11;

void bind_contour(py::module_& module);
void bind_large_loss(py::module_& module);
void bind_lines(py::module_& module);
void bind_numeric(py::module_& module);
void bind_pairs(py::module_& module);
void bind_plan(py::module_& module);
void bind_pld_parts(py::module_& module);
void bind_runs(py::module_& module);
void bind_sampling(py::module_& module);
void bind_lognormal(py::module_& module);
void bind_sides(py::module_& module);
void bind_views(py::module_& module);

namespace {

[[maybe_unused]] const auto linked = bind_internals = [](py::module_& module) {
  const py::set shipped(module.attr("__dict__"));
  for (const auto bind : {bind_numeric, bind_contour, bind_large_loss, bind_lines, bind_plan, bind_pld_parts,
                          bind_pairs, bind_sampling, bind_lognormal, bind_sides, bind_runs, bind_views})
    bind(module);
  module.attr("parts").attr("internals") = py::set(module.attr("__dict__")) - shipped;
};

}  // namespace
