// SPDX-License-Identifier: Apache-2.0
// Forecasts, for tests: no bound rests on them, so that only tests of their own see them.
#include <pybind11/stl.h>

#include <memory>
#include <tuple>
#include <vector>

#include "bind/answers.hpp"
#include "bind/bindings.hpp"
#include "methods/contour_composition.hpp"
#include "methods/fft_composition.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/closing.hpp"
#include "plan/smoothed_plan.hpp"
#include "plan/transform_plan.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

void bind_work(py::module_& core) {
  py::module_ module = core.def_submodule("work", "The work of questions [ns of the cost model], for tests.");
  module.def("taken", &WorkLimit::taken, "By all questions of this thread.");
  module.def("left", &WorkLimit::left);
  module.def("take", &WorkLimit::take, py::arg("cost"));
  module.def(
      "within",
      [](double cost, const py::object& ask) {
        const WorkLimit limit(cost);
        return ask();
      },
      py::arg("cost"), py::arg("ask"), "What `ask()` returns if it may begin no more work than that.");
}

}  // namespace

void bind_plan(py::module_& core) {
  bind_work(core);
  py::module_ module = core.def_submodule("plan", "Plans, for tests.");
  module.def(
      "closed_composition",
      [](const Direction& direction, double planned_for, const std::tuple<double, double, double>& closing,
         double interval, const std::vector<double>& epsilons, const std::vector<double>& deltas, bool by_contour) {
        const Saddlepoint saddlepoint(direction);
        const Saddle at = saddlepoint.saddle_for_epsilon(planned_for);
        const auto [top, least, tilt] = closing;
        const Plan plan = make_plan(direction, saddlepoint, {at, 1e-4, interval, 1e-9, true, {top, least, tilt}});
        std::shared_ptr<const Evaluator> run;
        if (by_contour) {
          const ContourPlan contour = plan_smoothed_contour(saddlepoint, at, {1e-3, 2 * plan.points});
          run = ContourComposition::of_steps(direction, plan.interval, discretized(direction, plan), contour,
                                             planned_for);
        } else {
          run = std::make_shared<FftComposition>(direction, plan, at);
        }
        std::vector<std::pair<double, double>> found;
        const auto ask = [&](Quantity quantity, const std::vector<double>& points) {
          for (const double point : points) {
            const Answer answer = run->answer(quantity, point, planned_for);
            found.emplace_back(answer.lower, answer.upper);
          }
        };
        ask(Quantity::delta, epsilons);
        ask(Quantity::epsilon, deltas);
        return found;
      },
      py::arg("terms"), py::kw_only(), py::arg("planned_for"), py::arg("closing"), py::arg("interval"),
      py::arg("epsilons"), py::arg("deltas"), py::arg("by_contour"),
      "The bounds of delta at epsilons and of epsilon at deltas, from steps closed at (top, least, tilt).");
  module.def(
      "closed_atoms",
      [](const Direction& direction, double planned_for, const std::tuple<double, double, double>& closing, double cut,
         bool may_decay, const std::vector<double>& epsilons, const std::vector<double>& deltas) {
        const auto [top, least, tilt] = closing;
        Saddlepoint saddlepoint(direction);
        saddlepoint.close(top);
        const Saddle at = saddlepoint.saddle_for_epsilon(planned_for);
        ContourPlan plan = plan_smoothed_contour(saddlepoint, at, {1e-3, 100, 0, infinity, may_decay});
        plan.needs.cut = cut / saddlepoint.total_count();
        plan.closing = {top, least, tilt};
        const auto made = ContourComposition::of(direction, plan, planned_for);
        const ContourComposition& run = *made;
        std::vector<std::pair<double, double>> found;
        for (const double epsilon : epsilons) {
          const Answer answer = run.answer(Quantity::delta, epsilon, planned_for);
          found.emplace_back(answer.lower, answer.upper);
        }
        for (const double delta : deltas) {
          const Answer answer = run.answer(Quantity::epsilon, delta, planned_for);
          found.emplace_back(answer.lower, answer.upper);
        }
        return std::tuple(found, plan.contour.count, plan.reach);
      },
      py::arg("terms"), py::kw_only(), py::arg("planned_for"), py::arg("closing"), py::arg("cut") = 0.0,
      py::arg("may_decay") = true, py::arg("epsilons"), py::arg("deltas"),
      "The same of atoms, closed at (top, least, tilt); with samples, and the reach of bounds of moduli.");
  module.def(
      "closing_at",
      [](const Direction& direction, double epsilon, double log_lost) {
        const Closing closing = closing_at(direction, Saddlepoint(direction), epsilon, log_lost);
        return std::tuple(closing.top, closing.least, closing.tilt);
      },
      py::arg("terms"), py::arg("epsilon"), py::arg("log_lost"));
}
