// SPDX-License-Identifier: Apache-2.0
#include "pld/tilt.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// Covers the underflow in an upper mass; a lower mass below this is dropped. Far below every certified digit.
constexpr double floor_mass = 1e-300;

}  // namespace

TiltedStep tilted(const StepPmf& step, double tilt, double log_moment) {
  TiltedStep result{&step, tilt, log_moment, std::vector<double>(step.mass.size())};
  const bool upper = step.side == Side::upper;
  for (std::size_t j = 0; j < step.mass.size(); ++j) result.mass[j] = tilt * step.loss(j) - log_moment;
  exponentials(result.mass);
  const double tilted_offset = std::fabs(tilt * step.offset);
  for (std::size_t j = 0; j < step.mass.size(); ++j) {
    checkpoint_each<8192>(j);
    const double tilted_loss = tilt * step.loss(j), argument = tilted_loss - log_moment;
    // Roundings: of loss, two, of which one is of k d, at most |l| + |offset|; of the product, of the difference; exp;
    // the product with the mass.
    // proof: tilted-masses
    const double error = (3 * std::fabs(tilted_loss) + tilted_offset + std::fabs(argument) + 10) * u;
    const double mass = step.mass[j] * result.mass[j];
    // proof: tilted-masses
    result.mass[j] = upper ? mass * (1 + error) + floor_mass : mass > floor_mass ? mass * (1 - error) : 0;
  }
  return result;
}

double log_moment_above(const TiltedStep& step, double t) {
  const auto argument = [&](std::size_t j) { return t * step.step->loss(j); };
  // Far points whose masses underflowed in a lower step have none: a floor there would exceed all others.
  std::size_t first = 0, points = step.mass.size();
  while (points > 0 && step.mass[points - 1] == 0) --points;
  while (first < points && step.mass[first] == 0) ++first;
  if (first == points) return -infinity;
  const double shift = std::max(argument(first), argument(points - 1));
  double sum = 0;
  std::array<double, 64> grown;
  for (std::size_t i = first; i < points; i += grown.size()) {
    checkpoint_each<128>((i - first) / grown.size());
    const std::size_t count = std::min(grown.size(), points - i);
    for (std::size_t j = 0; j < count; ++j) grown[j] = argument(i + j) - shift;
    exponentials(std::span(grown).first(count));
    for (std::size_t j = 0; j < count; ++j) sum += (step.mass[i + j] + floor_mass) * grown[j];
  }
  const double largest = std::max(std::fabs(argument(first)), std::fabs(argument(points - 1)));
  const double value = math::log(sum);
  // Arguments carry 3 u of the largest and u of t offset, as in `tilted`, their differences 2 u of it; the sum of
  // positive terms u a term; log 4 u of itself; the two sums below u of each.
  const double arguments = 6 * largest + std::fabs(t * step.step->offset);
  // proof: chernoff-rounding
  return shift + value + (arguments + 6 * std::fabs(value) + 12 + static_cast<double>(points)) * u;
}

double untilting_factor(const LossPmf& pmf, double loss) {
  const auto [product, product_error] = two_product(pmf.tilt, loss);
  const auto [sum, sum_error] = two_sum(pmf.log_scale, -product);
  const double low = sum_error + (pmf.log_scale_low - product_error);
  return math::exp(sum) * (1 + low) * pmf.factor;  // proof: untilting
}

}  // namespace hockeystick
