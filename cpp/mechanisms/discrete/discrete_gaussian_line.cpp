// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/discrete_gaussian_line.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double negligible = 45;  // e^-45 is a thousandth of u

}  // namespace

DiscreteGaussianLine::DiscreteGaussianLine(double sigma, double shift, double tilt, LogMoment known)
    : sigma_(sigma),
      shift_(shift),
      tilt_(tilt),
      log_moment_(known),
      period_(2 * std::numbers::pi * sigma),
      turn_((tilt + 0.5) * (shift / sigma)),
      rest_(1.01 * math::exp(-4.9 * sigma * sigma)) {}  // proof: theta-moments

Ball DiscreteGaussianLine::log_moment() const {
  if (tilt_ == 0) return {0, 0};
  const auto [lower, upper] = log_moment_(sigma_, shift_, tilt_);
  const double value = lower + (upper - lower) / 2;
  return {value, std::max(up(upper - value), up(value - lower))};
}

double DiscreteGaussianLine::log_moment_above(double tilt) const {
  return tilt == 0 ? 0 : log_moment_(sigma_, shift_, tilt).upper;
}

// y is off by 3 u of itself, the period by 2 u, its multiple by one more; turn_ by 3 u, each function by 4 u.
MomentSample DiscreteGaussianLine::sample(double frequency) const {
  const double y = frequency * shift_ / sigma_, n = std::nearbyint(y / period_), r = y - n * period_;
  const double off = 7.1 * u * y, x = r * r / 2;                                 // proof: theta-moments
  if (!(off < 1e-4)) return {-1, 0, 1, 0};                                       // no modulus is more than 1
  if (x > negligible) return {-1, 0, 1.01 * math::exp(-negligible) + rest_, 0};  // proof: theta-moments
  const double angle = turn_ * r, grown = math::exp(-x), size = std::fabs(angle);
  const auto [cosine, sine] = math::turn(angle / 2);
  const double lost = -math::expm1(-x) + 2 * sine * sine * grown, turned = 2 * sine * cosine * grown;
  const bool is_odd = std::fmod(n, 2) != 0 && std::fmod(shift_, 2) != 0;
  const double evaluated = is_odd ? 2 : std::min(2.0, x + size);
  // proof: theta-moments
  const double rounding = grown * (1.02 * off * (std::fabs(r) + turn_) + 5 * u * size) + 24 * u * evaluated;
  return {is_odd ? lost - 2 : -lost, is_odd ? -turned : turned, 1.01 * rounding + rest_ + 1e-300, 0};
}

}  // namespace hockeystick
