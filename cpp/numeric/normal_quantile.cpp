// SPDX-License-Identifier: Apache-2.0
#include "numeric/normal_quantile.hpp"

#include <cmath>

#include "numeric/interval.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

// The underflow in normal_tail must be small relative to the tail; P(Z > 39) is below every double.
constexpr double smallest_tail = 1e-304, underflow = 1e-307;
constexpr double beyond = 39.0;

// Newton on log P(Z > z), which is concave: from the left the iteration converges with little overshooting.
double guess(double p) {
  const double goal = std::log(p);
  double z = std::sqrt(std::fmax(0.0, -2 * std::log(2 * p)));  // P(Z > z) <= e^(-z^2/2) / 2
  for (int i = 0; i < 30; ++i) {
    const double tail = normal_tail(z);
    const double step = (std::log(tail) - goal) * tail / normal_pdf(z);
    z = std::fmax(0.0, z + step);
    if (std::fabs(step) <= 1e-15 * (1 + z)) break;
  }
  return z;
}

// 0 < p <= 1/2. The true tail falls, so one evaluation and its error certify a side.
Interval quantile(double p) {
  if (p < smallest_tail) return {quantile(smallest_tail).lower, beyond};
  const double z = guess(p);
  double lower = z, upper = z;
  for (double step = 1e-15 * (1 + z); normal_tail(upper) * (1 + 2 * normal_error) + underflow > p; step *= 2)
    upper += step;  // proof: normal-quantile
  // proof: normal-quantile
  for (double step = 1e-15 * (1 + z); lower > 0 && normal_tail(lower) * (1 - 2 * normal_error) - underflow < p;
       step *= 2)
    lower = std::fmax(0.0, lower - step);
  return {lower, upper};
}

}  // namespace

Interval upper_normal_quantile(double p) {
  if (p <= 0.5) return quantile(p);
  const Interval mirrored = quantile(1 - p);  // exact, by Sterbenz
  return {-mirrored.upper, -mirrored.lower};
}

}  // namespace hockeystick
