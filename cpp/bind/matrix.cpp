// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "bind/bindings.hpp"
#include "mechanisms/gaussian/covariance.hpp"
#include "mechanisms/gaussian/matrix_sensitivity.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/twofold.hpp"

namespace py = pybind11;
using namespace hockeystick;

namespace {

using LowAndHigh = std::pair<double, double>;

constexpr Range matrix_entries{-1e100, 1e100}, some_steps{1, 1e9, Range::Ends::closed, true};

LowAndHigh low_and_high(const Interval& x) { return {x.lower, x.upper}; }

Participation schedule_of(double separation, double participations) {
  return {static_cast<std::int64_t>(checked("min_separation", separation, some_steps)),
          static_cast<std::int64_t>(checked("max_participations", participations, some_steps))};
}

Matrix matrix_of(const Doubles& strategy) {
  if (strategy.ndim() != 2 || strategy.size() == 0)
    throw std::invalid_argument("strategy must be of shape (rows, columns)");
  check_each("strategy", in(strategy), matrix_entries);
  return {in(strategy), static_cast<std::size_t>(strategy.shape(0)), static_cast<std::size_t>(strategy.shape(1))};
}

}  // namespace

void bind_matrix(py::module_& module) {
  module.def(
      "matrix_sensitivity",
      [](const Doubles& strategy, double separation, double participations) {
        const Matrix matrix = matrix_of(strategy);
        const Participation schedule = schedule_of(separation, participations);
        const LongWork work;
        return low_and_high(root(matrix_sensitivity_squared(matrix, schedule)));
      },
      py::arg("strategy"), py::arg("min_separation"), py::arg("max_participations"),
      "The sensitivity of a matrix mechanism, enclosed.");
  module.def(
      "toeplitz_sensitivity",
      [](const Doubles& coefficients, double steps, double separation, double participations) {
        check_each("coefficients", in(coefficients), matrix_entries);
        const auto n = static_cast<std::int64_t>(checked("steps", steps, some_steps));
        const Participation schedule = schedule_of(separation, participations);
        const auto column = in(coefficients);
        const LongWork work;
        return low_and_high(root(toeplitz_sensitivity_squared(column, column, n, schedule, false)));
      },
      py::arg("coefficients"), py::arg("steps"), py::arg("min_separation"), py::arg("max_participations"),
      "That of a lower triangular Toeplitz matrix, by its first column.");
  module.def(
      "buffered_sensitivity",
      [](const Doubles& scales, const Doubles& decays, double steps, double separation, double participations) {
        check_each("scales", in(scales), matrix_entries);
        check_each("decays", in(decays), ranges::probability);
        if (scales.size() != decays.size())
          throw std::invalid_argument("scales and decays must have the same length, got " +
                                      std::to_string(scales.size()) + " and " + std::to_string(decays.size()));
        const auto n = static_cast<std::int64_t>(checked("steps", steps, some_steps));
        const Participation schedule = schedule_of(separation, participations);
        const auto omega = in(scales), theta = in(decays);
        const LongWork work;
        double sum = 0;
        bool is_positive = true;
        for (const double x : omega) sum = up(sum + x), is_positive = is_positive && x >= 0;
        const Column column = buffered_column(omega, theta, n);
        return low_and_high(
            root(toeplitz_sensitivity_squared(column.lower, column.upper, n, schedule, is_positive && sum <= 1)));
      },
      py::arg("scales"), py::arg("decays"), py::arg("steps"), py::arg("min_separation"), py::arg("max_participations"),
      "That of a buffered linear Toeplitz matrix.");
  module.def(
      "noise_of_covariance",
      [](const Doubles& covariance) {
        if (covariance.ndim() != 2 || covariance.size() == 0 || covariance.shape(0) != covariance.shape(1))
          throw std::invalid_argument("covariance must be of shape (parts, parts)");
        check_each("covariance", in(covariance), {-1e24, 1e24});
        const LongWork work;
        return low_and_high(noise_of_covariance(in(covariance), static_cast<std::size_t>(covariance.shape(0))));
      },
      py::arg("covariance"), "The noise multiplier of Gaussians whose noises have a covariance, enclosed.");
  module.def(
      "column_norms",
      [](const Doubles& strategy) {
        const Matrix matrix = matrix_of(strategy);
        std::vector<LowAndHigh> norms;
        for (const Interval& square : column_squares(matrix)) norms.push_back(low_and_high(root(square)));
        return norms;
      },
      py::arg("strategy"), "The norm of each column, enclosed.");
  module.def(
      "root_bounds",
      [](double square) {
        checked("square", square, {0, 0x1p53, Range::Ends::closed, true});
        const double nearest = std::nearbyint(std::sqrt(square));
        if (nearest < 0x1p26 && nearest * nearest == square) return LowAndHigh{nearest, nearest};
        return low_and_high(root({square, square}));
      },
      py::arg("square"), "The root of a whole number, enclosed.");
  module.def(
      "noise_of_sensitivity",
      [](double noise, double lower, double upper) {
        checked("noise_multiplier", noise, ranges::positive);
        const double least = noise / checked("upper", upper, ranges::positive);
        const double most = noise / checked("lower", lower, ranges::positive);
        const bool is_exact = two_product(least, upper).error == 0 && least * upper == noise && lower == upper;
        return is_exact ? LowAndHigh{least, most} : LowAndHigh{down(least), up(most)};  // proof: matrix-sensitivity
      },
      py::arg("noise_multiplier"), py::arg("lower"), py::arg("upper"),
      "The noise over a sensitivity that is enclosed, enclosed.");
}
