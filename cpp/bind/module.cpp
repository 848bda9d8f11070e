// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <map>
#include <string>
#include <utility>

#include "bind/bindings.hpp"
#include "numeric/range.hpp"
#include "numeric/simd/cpu.hpp"

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
  bind_enclosed(module);
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
