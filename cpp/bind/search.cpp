// SPDX-License-Identifier: Apache-2.0
#include "run/search.hpp"

#include <pybind11/stl.h>

#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "bind/bindings.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

// A family and a goal of Python: what `make` makes, and how much that costs.
class FamilyOfPython : public Family {
 public:
  FamilyOfPython(py::object family, py::object goal)
      : Family("make", ", or give bounds"), family_(std::move(family)), goal_(std::move(goal)) {
    is_falling_ = goal_.attr("scale").cast<std::string>() == "falling";
    whole = family_.attr("integer").cast<bool>();
    start = family_.attr("start").cast<double>();
    read_ends();
  }

  double settled(double value) override {
    const double found = py::tuple(family_.attr("at")(number(value)))[0].cast<double>();
    read_ends();
    return found;
  }
  bool accepts(double value) override { return family_.attr("accepts")(number(value)).cast<bool>(); }

  Cost cost(double value, double tolerance) override {
    try {
      const py::object found = goal_.attr("ask")(made(value), tolerance);
      return {bounds(found), {}, !found.attr("limited_by").cast<std::string>().empty()};
    } catch (py::error_already_set& error) {
      if (!error.matches(py::module_::import("hockeystick.errors").attr("CertificationError"))) throw;
      return {bounds(error.value().attr("bounds")), std::current_exception()};  // the bounds hold, and may suffice
    }
  }
  Interval hasty_cost(double value, double tolerance) override {
    return bounds(goal_.attr("hasty")(made(value), tolerance));
  }
  Interval advantage(double value) override {
    const auto [lower, upper] = goal_.attr("advantage")(made(value)).cast<std::pair<double, double>>();
    return {lower, upper};
  }

  py::object number(double value) const {
    if (whole) return py::int_(static_cast<std::int64_t>(value));
    return py::float_(value);
  }

 private:
  Interval bounds(const py::object& found) const {
    const auto [lower, upper] = found.cast<std::pair<double, double>>();
    if (is_falling_) return {-upper, -lower};
    return {lower, upper};
  }
  py::object made(double value) const { return py::tuple(family_.attr("at")(number(value)))[1]; }
  void read_ends() {
    low = family_.attr("low").cast<double>();
    high = family_.attr("high").cast<double>();
  }

  py::object family_, goal_;
  bool is_falling_;
};

class SearchOfPython {
 public:
  SearchOfPython(const py::object& family, const py::object& goal, std::optional<SearchOfPython*> before, bool alike)
      : family_(family, goal), search_(family_, goal_of(goal), before ? &(*before)->search_ : nullptr, alike) {}
  SearchOfPython(const SearchOfPython&) = delete;
  SearchOfPython& operator=(const SearchOfPython&) = delete;

  py::object run() { return family_.number(search_.run().value); }

 private:
  static Goal goal_of(const py::object& given) {
    Goal goal{given.attr("name").cast<std::string>(), given.attr("target").cast<double>(),
              given.attr("tolerance").cast<double>()};
    goal.coarse = given.attr("coarse").cast<double>();
    goal.scale = named<Scale>("scale", given.attr("scale").cast<std::string>(),
                              {{"logarithm", Scale::logarithm}, {"odds", Scale::odds}, {"falling", Scale::falling}});
    if (goal.scale == Scale::falling) goal.target = -goal.target;
    return goal;
  }

  FamilyOfPython family_;
  Search search_;
};

}  // namespace

void bind_search(py::module_& module) {
  py::class_<SearchOfPython>(module, "Search", "The search for the costliest parameter that meets a goal.")
      .def(py::init<const py::object&, const py::object&, std::optional<SearchOfPython*>, bool>(), py::arg("family"),
           py::arg("goal"), py::arg("before") = py::none(), py::kw_only(), py::arg("alike") = false,
           "What one before has found helps: all of it if that is `alike`, of the same family and asked alike.")
      .def("run", &SearchOfPython::run, "The parameter.");
}
