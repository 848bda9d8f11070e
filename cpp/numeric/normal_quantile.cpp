// SPDX-License-Identifier: Apache-2.0
#include "numeric/normal_quantile.hpp"

#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

// The underflow in normal_tail must be small relative to the tail; P(Z > 39) is below every double.
constexpr double smallest_tail = 1e-304, underflow = 1e-307;
constexpr double beyond = 39.0;

// Newton on log P(Z > z), which is concave, from where a rational function of sqrt(-2 log p) has it to 4.5e-4
// (Abramowitz & Stegun 1964, 26.2.23): two steps.
double guess(double p) {
  const double goal = math::log(p), t = std::sqrt(-2 * goal);
  double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  z = std::fmax(0.0, z);
  for (int i = 0; i < 30; ++i) {
    const double tail = normal_tail(z);
    const double step = (math::log(tail) - goal) * tail / normal_pdf(z);
    z = std::fmax(0.0, z + step);
    if (std::fabs(step) <= 1e-7 * (1 + z)) break;  // the next is about its square
  }
  return z;
}

// 0 < p <= 1/2. The true tail falls, so one evaluation and its error certify a side.
Interval quantile(double p) {
  if (p < smallest_tail) return {quantile(smallest_tail).lower, beyond};
  const double z = guess(p);
  const double first = 2.4 * normal_error / (0.7 + z) + 1e-15 * (1 + z);  // about how far the tail's error moves it
  double lower = z, upper = z;
  for (double step = first; normal_tail(upper) * (1 + 2 * normal_error) + underflow > p; step *= 2)
    upper += step;  // proof: normal-quantile
  // proof: normal-quantile
  for (double step = first; lower > 0 && normal_tail(lower) * (1 - 2 * normal_error) - underflow < p; step *= 2)
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
