// SPDX-License-Identifier: Apache-2.0
#include "pld/tilt.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/checkpoint.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;

// Covers what underflow may take from an upper mass; it is far below every certified digit.
constexpr double floor_mass = 1e-300;

}  // namespace

TiltedStep tilted(const StepPmf& step, double tilt, double log_moment) {
  TiltedStep result{&step, tilt, log_moment, std::vector<double>(step.mass.size())};
  const bool upper = step.side == Side::upper;
  for (std::size_t j = 0; j < step.mass.size(); ++j) {
    checkpoint_each<8192>(j);
    const double loss = step.loss(j);
    const double argument = tilt * loss - log_moment;
    // Roundings: of loss, of the product, of the difference; exp; the product with the mass.
    const double error = (2 * std::fabs(tilt * loss) + std::fabs(argument) + 10) * u;
    const double mass = step.mass[j] * std::exp(argument);
    result.mass[j] = upper ? mass * (1 + error) + floor_mass : std::max(0.0, mass * (1 - error));
  }
  return result;
}

double log_moment_above(const TiltedStep& step, double t) {
  const auto argument = [&](std::size_t j) { return t * step.step->loss(j); };
  const std::size_t points = step.mass.size();
  const double shift = std::max(argument(0), argument(points - 1));
  double sum = 0;
  for (std::size_t j = 0; j < points; ++j)
    checkpoint_each<8192>(j), sum += (step.mass[j] + floor_mass) * std::exp(argument(j) - shift);
  const double largest = std::max(std::fabs(argument(0)), std::fabs(argument(points - 1)));
  const double value = std::log(sum);
  // Arguments carry 4 u of the largest; the sum of positive terms u a term; log 4 u of itself.
  return shift + value + (4 * largest + 4 * std::fabs(value) + 12 + static_cast<double>(points)) * u;
}

double untilting_factor(const LossPmf& pmf, double loss) {
  const auto [product, product_error] = two_product(pmf.tilt, loss);
  const auto [sum, sum_error] = two_sum(pmf.log_scale, -product);
  const double low = sum_error + (pmf.log_scale_low - product_error);
  return std::exp(sum) * (1 + low) * pmf.factor;
}

}  // namespace hockeystick
