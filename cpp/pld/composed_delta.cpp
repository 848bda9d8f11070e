// SPDX-License-Identifier: Apache-2.0
#include "pld/composed_delta.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"
#include "pld/tail_sums.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {
namespace {

// Bound of the underflow in a mass.
constexpr double tiny = 1e-307;

// P-masses at the losses of a pmf, each on the safe side of the exact one and >= 0, as exact masses are. In sums of
// them all terms have one sign and all errors are relative.
struct SafeMasses {
  std::vector<double> mass;
  double p = 0, q = 0;  // upper bounds of the sums of mass and of mass e^-loss
  double wrapped = 0;   // lower: P-mass from elsewhere that may be among them
  // Relative error of a sum of all masses, in any order.
  double relative_error() const { return 4 * (static_cast<double>(mass.size()) + 1) * u; }
};

SafeMasses safe_masses(const LossPmf& pmf) {
  SafeMasses safe;
  safe.mass.resize(pmf.mass.size());
  const double outward = pmf.side == Side::upper ? 1 : -1;
  for (std::size_t k = 0; k < pmf.mass.size(); ++k) {
    checkpoint_each<8192>(k);
    const double loss = pmf.loss(k);
    const double factor = untilting_factor(pmf, loss);
    const double relative = (24 + 2 * std::fabs(pmf.tilt * loss) + 2 * std::fabs(pmf.tilt * pmf.offset)) * u;
    const double mass = pmf.mass[k] * factor;
    // proof: composed-delta
    const double error = relative * std::fabs(mass) + factor * pmf.point_error * (1 + 2 * relative) + tiny;
    const double bound = (mass + outward * error) * (1 + outward * 8 * u);
    safe.mass[k] = bound < 0 ? 0.0 : bound;  // NaN stays, where the factor overflows
    safe.wrapped = std::max(safe.wrapped, pmf.wrapped * factor * (1 + 2 * relative));  // proof: composed-delta
  }
  // Mass below the window is rounded up to the first loss.
  // proof: composed-delta
  if (pmf.side == Side::upper && !safe.mass.empty()) safe.mass.front() += pmf.p_below * (1 + 8 * u);
  for (std::size_t k = 0; k < safe.mass.size(); ++k) {
    safe.p += safe.mass[k];
    const double loss = pmf.loss(k);
    if (safe.mass[k] > 0) safe.q += safe.mass[k] * math::exp(-loss) * (1 + (4 * std::fabs(loss) + 16) * u);
  }
  safe.p *= 1 + safe.relative_error();
  safe.q *= 1 + safe.relative_error();
  return safe;
}

// 1 - (1 - s)(1 - t), the mass at +inf of both, as a sum of terms of one sign.
double either(double s, double t) { return s + t * std::max(0.0, 1 - s); }

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
