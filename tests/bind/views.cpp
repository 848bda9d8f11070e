// SPDX-License-Identifier: Apache-2.0
// Questions to the whole curve, asked of pairs, where the package asks runs.
#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include <vector>

#include "bind/answers.hpp"
#include "numeric/range.hpp"
#include "views/bayes_risk.hpp"
#include "views/gaussian_dp.hpp"
#include "views/loss_tail.hpp"
#include "views/renyi.hpp"
#include "views/tradeoff.hpp"
#include "views/zcdp.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using Points = std::span<const double>;
using AskMany = std::vector<Answer> (*)(std::span<const Direction>, Points, const Limits&);
using AskBothWays = std::vector<Answer> (*)(std::span<const Direction>, std::span<const Direction>, Points,
                                            const Limits&);

/// `ask` answers at each point, for the worst direction; it takes directions, reverses if those are known, points and
/// limits.
template <class Ask>
void define(py::module_& module, const char* name, const Ask& ask) {
  module.def(
      name,
      [name, ask](const Directions& directions, const Doubles& points, double tolerance, std::size_t memory_limit,
                  const Directions& reverses, double smallest) {
        const auto from = in(points);
        const LongWork work;
        const Limits limits{tolerance, memory_limit, {}, hockeystick::checked("smallest", smallest, ranges::smallest)};
        return checked(ask(directions, reverses, from, limits), name, from, limits);
      },
      py::arg("directions"), py::arg("points"), py::kw_only(), py::arg("tolerance"), py::arg("memory_limit"),
      py::arg("reverses") = Directions{}, py::arg("smallest") = 0.0);
}

}  // namespace

void bind_views(py::module_& module) {
  for (const auto& [name, ask] : {std::pair<const char*, AskBothWays>{"bayes_risk_bounds", &bayes_risk_bounds},
                                  {"power_bounds", &power_bounds},
                                  {"gdp_bounds", &gdp_bounds},
                                  {"loss_tail_bounds", &loss_tail_bounds},
                                  {"loss_quantile_bounds", &loss_quantile_bounds}})
    define(module, name, ask);
  for (const auto& [name, ask] : {std::pair<const char*, AskMany>{"renyi_bounds", &renyi_bounds},
                                  {"zcdp_bounds", &zcdp_bounds},
                                  {"loss_variance_bounds", &loss_variance_bounds}})
    define(module, name, [ask](const Directions& directions, const Directions&, Points points, const Limits& limits) {
      return ask(directions, points, limits);
    });
  using Ends = std::pair<double, double>;
  module.def(
      "largest_renyi_slope",
      [](const std::function<Ends(double)>& renyi, const std::function<Ends(double)>& beyond, double tolerance) {
        const auto divergence = [&](double order) {
          const auto [lower, upper] = renyi(order);
          Answer answer;
          answer.lower = lower, answer.upper = upper, answer.converged = is_tight(lower, upper, tolerance, false);
          return answer;
        };
        const auto rest = [&](double order) {
          const auto [lower, upper] = beyond(order);
          return Interval{lower, upper};
        };
        const Answer found = largest_renyi_slope(divergence, rest, infinity, tolerance, 0, 0);
        return std::pair(found.lower, found.upper);
      },
      py::arg("renyi"), py::arg("beyond"), py::arg("tolerance"), "The largest D_a / a, by its ends and those of D_a.");
}
