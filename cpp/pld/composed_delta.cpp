// SPDX-License-Identifier: Apache-2.0
#include "pld/composed_delta.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "pld/safe_masses.hpp"
#include "pld/tail_sums.hpp"

namespace hockeystick {
namespace {

// The sum over all pairs (i, j) with i + j >= first, at loss_first - y; rounded to the given side.
double pair_sum(const SafeMasses& a, const SafeMasses& b, double interval, std::size_t first, double y, Side side) {
  Suffix suffix(b.mass, 0, interval);
  const double rise = -math::expm1(-y);
  const std::size_t last = b.mass.size() - 1;
  CompensatedSum sum, distance;
  for (std::size_t i = first > last ? first - last : 0; i < a.mass.size(); ++i) {
    checkpoint_each<8192>(i);
    if (i > first) suffix.extend_below();
    while (suffix.lowest() + i > first && suffix.lowest() > 0) suffix.extend();
    sum.add(a.mass[i] * (suffix.curve() + rise * suffix.steps()));
    distance.add(a.mass[i] * (suffix.curve_distance() + rise * suffix.steps_distance()));
  }
  const double error = suffix.error_a_point() * (1 + 1e-6) * distance.value() + 32 * u * sum.value();
  return side == Side::upper ? sum.value() + error : std::max(0.0, sum.value() - error);
}

// The certain part of a lower composition: h_b >= D_b - excess_b - e^eps deficit_b under the law of L_a, then the same
// for h_a summed over the masses of b. `sum` is the sum of the finite masses; up to `wrapped` of each may be elsewhere.
double lower_delta(const LossPmf& a, const LossPmf& b, const SafeMasses& of_a, const SafeMasses& of_b, double sum,
                   double epsilon) {
  const double finite = std::max(0.0, sum - (of_a.wrapped * of_b.p + of_b.wrapped * of_a.p) * (1 + 8 * u));
  const double mass_b = std::max(0.0, of_b.p * (1 - 2 * of_b.relative_error()) - of_b.wrapped);
  const double infinite = b.infinity_mass + a.infinity_mass * mass_b;
  double given_up = b.excess;
  if (a.excess > 0) given_up += a.excess * of_b.p;
  if (b.deficit > 0) given_up += b.deficit * math::exp(epsilon);
  if (a.deficit > 0) given_up += a.deficit * of_b.q * math::exp(epsilon);
  const double value = lowered(finite + infinite, 16 * u) - given_up * (1 + 32 * u);  // proof: composed-delta
  return value > 0 ? std::min(value, 1.0) : 0.0;                                      // also where it is NaN
}

double upper_delta(const LossPmf& a, const LossPmf& b, double sum) {
  const double beyond = either(std::min(1.0, (a.tail_above + a.infinity_mass) * (1 + 4 * u)),
                               std::min(1.0, (b.tail_above + b.infinity_mass) * (1 + 4 * u)));
  const double value = (sum + beyond) * (1 + 16 * u);  // proof: composed-delta
  return value < 1 ? value : 1.0;                      // also where it is NaN
}

}  // namespace

void composed_delta(const LossPmf& a, const LossPmf& b, std::span<const double> epsilons, std::span<double> deltas) {
  const SafeMasses of_a = safe_masses(a), of_b = safe_masses(b);
  const bool upper = a.side == Side::upper;
  const double offset = a.offset + b.offset;
  const double lowest = offset + a.interval * static_cast<double>(a.first + b.first);
  const double scale = std::fabs(lowest) + a.interval + std::fabs(a.offset) + std::fabs(b.offset);
  const std::size_t pairs = of_a.mass.size() + of_b.mass.size() - 1;
  for (std::size_t k = 0; k < epsilons.size(); ++k) {
    // The error of the position as in hockey_stick.cpp, for the sum of the losses.
    const double location = a.loss_error + b.loss_error + 8 * u * (std::fabs(epsilons[k]) + scale);
    const double epsilon = epsilons[k] + (upper ? -1 : 1) * location * (1 + 8 * u);
    const double position = std::floor((epsilon - lowest) / a.interval) + 1;
    const auto first = static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(pairs)));
    const double y = std::max(0.0, lowest + a.interval * static_cast<double>(first) - epsilon);
    const double sum = first < pairs ? pair_sum(of_a, of_b, a.interval, first, y, a.side) : 0.0;
    deltas[k] = upper ? upper_delta(a, b, sum) : lower_delta(a, b, of_a, of_b, sum, epsilon);
  }
}

}  // namespace hockeystick
