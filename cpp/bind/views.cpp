// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <vector>

#include "bind/answers.hpp"
#include "numeric/range.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using AskMany = std::vector<Answer> (*)(std::span<const Direction>, std::span<const double>, const Limits&);

void define(py::module_& module, const char* name, AskMany ask, const char* argument, const char* documentation) {
  module.def(
      name,
      [name, ask](const Directions& directions, const Doubles& points, double tolerance, std::size_t memory_limit,
                  double smallest) {
        const auto from = in(points);
        const LongWork work;
        const Limits limits{tolerance, memory_limit, {}, hockeystick::checked("smallest", smallest, ranges::smallest)};
        return checked(ask(directions, from, limits), name, from, limits);
      },
      py::arg("directions"), py::arg(argument), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("smallest") = 0.0, documentation);
}

using AskBothWays = std::vector<Answer> (*)(std::span<const Direction>, std::span<const Direction>,
                                            std::span<const double>, const Limits&);

void define(py::module_& module, const char* name, AskBothWays ask, const char* argument, const char* documentation) {
  module.def(
      name,
      [name, ask](const Directions& directions, const Doubles& points, double tolerance, std::size_t memory_limit,
                  const Directions& reverses, double smallest) {
        const auto from = in(points);
        const LongWork work;
        const Limits limits{tolerance, memory_limit, {}, hockeystick::checked("smallest", smallest, ranges::smallest)};
        return checked(ask(directions, reverses, from, limits), name, from, limits);
      },
      py::arg("directions"), py::arg(argument), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("reverses") = Directions{}, py::arg("smallest") = 0.0, documentation);
}

}  // namespace

void bind_views(py::module_& module) {
  define(module, "bayes_risk_bounds", &bayes_risk_bounds, "priors",
         "Encloses the Bayes risk at each prior, for the worst direction; `reverses` answer for priors above 1/2, "
         "where `directions` do not contain their own.");
  define(module, "power_bounds", &power_bounds, "false_positive_rates",
         "Encloses the largest true positive rate at each false positive rate, for the worst direction; `reverses`: "
         "the reverse of each, if known.");
  define(module, "gdp_bounds", &gdp_bounds, "smallest_rates",
         "Encloses the smallest mu of Gaussian differential privacy for error rates from each rate on; `reverses`: the "
         "reverse of each direction, if known.");
  define(module, "loss_tail_bounds", &loss_tail_bounds, "epsilons",
         "Encloses the probability that the loss exceeds each epsilon, for the worst direction.");
  define(module, "loss_quantile_bounds", &loss_quantile_bounds, "levels",
         "Encloses the quantile of the loss at each level, for the worst direction; `reverses`: the reverse of each, "
         "which knows the curve at negative losses, if known.");
  define(module, "renyi_bounds", &renyi_bounds, "orders",
         "Encloses the Renyi divergence at each order, for the worst direction.");
  define(module, "zcdp_bounds", &zcdp_bounds, "largest_orders",
         "Encloses the smallest rho with D_a <= rho a for orders up to each largest one, for the worst direction.");
  define(module, "loss_variance_bounds", &loss_variance_bounds, "unused",
         "Encloses the variance of the loss, for the worst direction, once per element.");
}
