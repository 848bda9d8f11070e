// SPDX-License-Identifier: Apache-2.0
#include "bind/bindings.hpp"
#include "pld/renyi.hpp"
#include "pld/stored_law.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/zcdp.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

/// A view of one distribution at each of an array's points.
template <class View>
void define(py::module_& module, const char* name, const char* points, const char* documentation, View view) {
  module.def(
      name, [view](const LossPmf& pmf, const Doubles& from) { return each_by(from, [&] { return view(pmf); }); },
      py::arg("pmf"), py::arg(points), documentation);
}

}  // namespace

void bind_pld_views(py::module_& module) {
  define(module, "pld_renyi", "orders", "Certified bound of the Renyi divergence at each order, of the side.",
         [](const LossPmf& pmf) {
           return [divergences = Divergences(pmf)](double order) { return divergences.renyi(order); };
         });
  define(module, "pld_zcdp", "largest_orders", "Certified bound of the smallest rho up to each order, of the side.",
         [](const LossPmf& pmf) { return [&pmf](double order) { return largest_renyi_slope(pmf, order); }; });
  define(module, "pld_gdp_mu", "smallest_rates", "Certified bound of the smallest mu from each rate on, of the side.",
         [](const LossPmf& pmf) { return [&pmf](double rate) { return gdp_mu(pmf, rate); }; });
  define(module, "pld_tail", "epsilons", "P(L > epsilon) of the law as stored, at each epsilon.",
         [](const LossPmf& pmf) { return [law = StoredLaw(pmf)](double epsilon) { return law.tail(epsilon); }; });
  define(module, "pld_quantile", "levels", "The quantile of the law as stored, at each level.",
         [](const LossPmf& pmf) { return [law = StoredLaw(pmf)](double level) { return law.quantile(level); }; });
  module.def(
      "pld_bayes_risk",
      [](const LossPmf& pmf, const LossPmf& reverse, const Doubles& priors) {
        return filled(priors, [&](auto from, auto to) { bayes_risks(pmf, reverse, from, to); });
      },
      py::arg("pmf"), py::arg("reverse"), py::arg("priors"),
      "Certified bound of the Bayes risk at each prior, of the side; `reverse` answers for priors above 1/2.");
  module.def(
      "pld_variance", [](const LossPmf& pmf) { return StoredLaw(pmf).variance(); }, py::call_guard<LongWork>(),
      py::arg("pmf"), "The variance of the law as stored.");
}
