// SPDX-License-Identifier: Apache-2.0
// _core.sampling: transforms and moments of log-normal variables and of their means, for tests of what they book.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <complex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "mechanisms/allocation/mean_moments.hpp"
#include "mechanisms/allocation/reversed_moments.hpp"
#include "numeric/lognormal_transform.hpp"

namespace py = pybind11;
using namespace hockeystick;

void bind_lognormal(py::module_& m) {
  py::module_ module = m.attr("sampling");
  module.def(
      "lognormal_transform",
      [](double mu, std::complex<double> s, const std::string& kernel) {
        const auto& used = kernel.empty() ? default_fft_kernel() : fft_kernel(kernel);
        const LognormalTransform transform(mu, used);
        const auto [alone, error] = transform.centred(s);
        const auto [value, slope] = transform.with_slope(s);
        return std::tuple(alone, error, slope.value, slope.error, value.value == alone && value.error == error);
      },
      py::arg("mu"), py::arg("s"), py::arg("kernel") = "",
      "E e^(-s (Y - 1)) - 1, its derivative and their errors; whether both methods agree.");
  module.def(
      "log_moment_above", [](double mu, double c) { return LognormalTransform(mu).log_moment_above(c); }, py::arg("mu"),
      py::arg("c"), "Upper bound of log E e^(-c (Y - 1)).");
  module.def(
      "lognormal_line",
      [](double mu) {
        const LognormalTransform transform(mu);
        const LognormalTransform::Line& line = transform.real_line();
        py::dict all;
        all["centre"] = line.centre, all["half_width"] = line.half_width, all["step"] = line.step;
        all["lowest"] = line.lowest, all["size"] = line.size, all["y"] = line.y;
        all["strip"] = line.strip, all["left"] = line.left, all["right"] = line.right;
        return all;
      },
      py::arg("mu"), "The line for real s, its nodes, and what it leaves out.");
  module.def(
      "reversed_log_moment",
      [](double mu, double steps, double s, double nats) {
        const auto [low, high] = reversed_log_moment(LognormalTransform(mu), steps, s, nats);
        return std::pair(low, high);
      },
      py::arg("mu"), py::arg("steps"), py::arg("s"), py::arg("nats"), "Bounds of log E R^-s of a mean.");
  module.def(
      "log_transform",
      [](double mu, double c, double nats) {
        const auto [low, high] = log_transform(mu, c, nats);
        return std::pair(low, high);
      },
      py::arg("mu"), py::arg("c"), py::arg("nats"), "Bounds of log E e^(-c Y).");
  using Ends = std::vector<std::pair<double, double>>;
  const auto ends_of = [](const std::vector<Interval>& moments) {
    Ends found;
    for (const auto& [low, high] : moments) found.emplace_back(low, high);
    return found;
  };
  const auto between = [](const Ends& ends) {
    std::vector<Interval> moments;
    for (const auto& [low, high] : ends) moments.push_back({low, high});
    return moments;
  };
  module.def(
      "log_central_moments", [=](double mu) { return ends_of(log_central_moments(mu)); }, py::arg("mu"),
      "Bounds of log E (Y - 1)^k, from k = 0 on.");
  module.def(
      "log_moments_of_mean",
      [=](const Ends& of_one, double steps) { return ends_of(log_moments_of_mean(between(of_one), steps)); },
      py::arg("of_one"), py::arg("steps"), "The same of a mean.");
  module.def(
      "log_moment_by_central",
      [=](const Ends& central, double s) {
        const auto [low, high] = log_moment_by_central(between(central), s);
        return std::pair(low, high);
      },
      py::arg("central"), py::arg("s"), "Bounds of log E R^(1 + s) from those.");
}
