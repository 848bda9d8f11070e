// SPDX-License-Identifier: Apache-2.0
// Forecasts, for tests: no bound rests on them, so that only tests of their own see them.
#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "bind/answers.hpp"
#include "bind/bindings.hpp"
#include "methods/contour_composition.hpp"
#include "methods/fft_composition.hpp"
#include "methods/smoothed_plan.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/atom_planner.hpp"
#include "plan/closing.hpp"
#include "plan/cost.hpp"
#include "plan/grid_interval.hpp"
#include "plan/large_loss.hpp"
#include "plan/moment_edges.hpp"
#include "plan/nonuniform_grid.hpp"
#include "plan/transform_plan.hpp"
#include "plan/window.hpp"

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
  py::class_<Saddle>(module, "Saddle", "Where a question lies.")
      .def_readonly("tilt", &Saddle::tilt)
      .def_readonly("epsilon", &Saddle::epsilon)
      .def_readonly("deviation", &Saddle::deviation)
      .def_readonly("log_delta", &Saddle::log_delta)
      .def_readonly("slope", &Saddle::slope)
      .def_readonly("regular", &Saddle::regular);
  py::class_<Saddlepoint>(module, "Saddlepoint", "Cumulants and saddle points of a composition.")
      .def(py::init([](const Direction& terms) { return Saddlepoint(terms); }), py::arg("terms"),
           py::keep_alive<1, 2>())
      .def(
          "cumulants",
          [](const Saddlepoint& saddlepoint, double tilt) {
            const auto [value, mean, variance] = saddlepoint.cumulants(tilt);
            return std::tuple(value, mean, variance);
          },
          py::arg("tilt"), "The cumulant generating function, and its first two derivatives.")
      .def("log_chernoff_delta", &Saddlepoint::log_chernoff_delta, py::arg("tilt"), py::arg("epsilon"))
      .def("saddle_for_delta", &Saddlepoint::saddle_for_delta, py::arg("delta"))
      .def("saddle_for_epsilon", &Saddlepoint::saddle_for_epsilon, py::arg("epsilon"))
      .def("rough_saddle_for_delta", &Saddlepoint::rough_saddle_for_delta, py::arg("log_delta"))
      .def("rough_saddle_for_epsilon", &Saddlepoint::rough_saddle_for_epsilon, py::arg("epsilon"))
      .def("saddle_for_rate", &Saddlepoint::saddle_for_rate, py::arg("rate"), py::arg("direction"),
           py::arg("measure") = -1.0)
      .def(
          "chernoff_quantile",
          [](const Saddlepoint& saddlepoint, double tilt, double log_reciprocal, int direction, double limit) {
            const auto [at, loss] = saddlepoint.chernoff_quantile(tilt, log_reciprocal, direction, limit);
            return std::pair(at, loss);
          },
          py::arg("tilt"), py::arg("log_reciprocal"), py::arg("direction"), py::arg("limit"),
          "The tilt of Chernoff's best bound, and the loss beyond which that is e^-log_reciprocal.")
      .def("interval_for_variance", &interval_for_variance, py::arg("variance"))
      .def(
          "interval_for_delta",
          [](const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance) {
            return interval_for_delta(saddlepoint, at, log_tolerance);
          },
          py::arg("at"), py::arg("log_tolerance"))
      .def(
          "question_window",
          [](const Saddlepoint& saddlepoint, const Saddle& at, double interval, double cut) {
            const auto window = question_window(saddlepoint, at, at.tilt, {interval, 0, 0.5 / interval}, cut);
            return std::tuple(window.first, window.size, window.period);
          },
          py::arg("at"), py::arg("interval"), py::arg("cut"), "First point, points, and points of the circle.")
      .def(
          "whole_window",
          [](const Saddlepoint& saddlepoint, double interval, double tail_mass) {
            const auto window = whole_window(saddlepoint, {interval, 0, 0.5 / interval}, tail_mass);
            return std::pair(window.first, window.size);
          },
          py::arg("interval"), py::arg("tail_mass"), "First point, and points.");
  module.def(
      "moment_edges",
      [](const DominatingPair& pair, int fineness) {
        Held room;
        return moment_edges(pair, fineness, room);
      },
      py::arg("pair"), py::arg("fineness"));
  module.def(
      "nonuniform_grid",
      [](const std::shared_ptr<DominatingPair>& pair, double tilt, double log_cut, double widest, double interval) {
        const Saddlepoint saddlepoint({Term{pair, 1}});
        const SupportNeeds needs{tilt, saddlepoint.log_moment(0, tilt), log_cut, log_cut, widest, 0};
        return plan_nonuniform_grid(*pair, saddlepoint, 0, needs, interval).build().index;
      },
      py::arg("pair"), py::kw_only(), py::arg("tilt"), py::arg("log_cut"), py::arg("widest"), py::arg("interval"),
      "The points of a step's grid.");
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
          const ContourPlan contour = plan_discretized_contour(saddlepoint, plan, at, 1e-3, &saddlepoint);
          run = ContourComposition::of_steps(direction, saddlepoint, plan, discretized(direction, plan), contour,
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
        ContourPlan plan = plan_contour_of_atoms(saddlepoint, 100, at, 1e-3, 0, infinity, may_decay);
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
  module.def(
      "atom_plan",
      [](const Direction& direction, bool wants_epsilon, double at, double tolerance) {
        const Question question{wants_epsilon ? Quantity::epsilon : Quantity::delta, at, tolerance};
        const AtomPlanner planner(direction, question, infinity_mass(direction).upper());
        return std::tuple(planner.is_answerable(), planner.at().epsilon, planner.at().log_delta, planner.closing().top,
                          planner.cut());
      },
      py::arg("terms"), py::kw_only(), py::arg("wants_epsilon"), py::arg("at"), py::arg("tolerance"),
      "Whether a contour may answer, epsilon, log of what finite losses add to delta, the top, and the cut.");
  module.def("transform_cost", py::overload_cast<double, double, double>(&cost::transform), py::arg("terms"),
             py::arg("points"), py::arg("size"));
  module.def("contour_cost", &cost::contour, py::arg("terms"), py::arg("samples"), py::arg("nodes"));
  const auto seen = [](const std::optional<LargeLoss>& found) {
    return found ? std::optional(std::tuple(found->epsilon, found->log_delta, found->slope)) : std::nullopt;
  };
  module.def(
      "large_loss_at",
      [seen](const Saddlepoint& saddlepoint, double epsilon) {
        return seen(large_loss_at(saddlepoint, epsilon, infinity));
      },
      py::arg("saddlepoint"), py::arg("epsilon"), "(epsilon, log delta, -d log delta / d epsilon), or None.");
  module.def(
      "large_loss_of",
      [seen](const Saddlepoint& saddlepoint, double log_delta) { return seen(large_loss_of(saddlepoint, log_delta)); },
      py::arg("saddlepoint"), py::arg("log_delta"));
  module.def("contour_samples", &cost::contour_samples, py::arg("nanoseconds"), py::arg("terms"), py::arg("nodes"));
}
