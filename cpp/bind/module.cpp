// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"
#include "numeric/simd/cpu.hpp"

PYBIND11_MODULE(_core, module, pybind11::mod_gil_not_used()) {
  module.doc() = "Core of hockeystick: see cpp/README.md for what it certifies.";
  Doubles(0);  // what pybind11 makes of NumPy once, under a lock, is made before anybody can fork
  bind_long_work();
  bind_mechanisms(module);
  bind_pld(module);
  bind_answers(module);
  bind_account(module);
  bind_dpsgd(module);
  bind_views(module);
  bind_pld_views(module);
  module.def("kernel", &hockeystick::kernel_name, "Name of the vector kernel in use.");
#ifdef HOCKEYSTICK_PARTS
  bind_numeric(module);
  bind_contour(module);
  bind_forecast(module);
  bind_pld_parts(module);
  bind_pairs(module);
  bind_sampling(module);
#endif
}
