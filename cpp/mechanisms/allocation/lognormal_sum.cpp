// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/lognormal_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/complex.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {

LognormalSum::LognormalSum(const LognormalTransform& transform, std::vector<LognormalPart> parts)
    : transform_(transform), parts_(std::move(parts)) {
  double variance = 0;
  for (const auto& [scale, count] : parts_) {
    mean_ += scale * count, largest_ = std::max(largest_, scale);
    variance += count * scale * scale * transform.variance();
  }
  deviation_ = std::sqrt(variance) * (1 + 8 * u);
}

LognormalSum::Power LognormalSum::power(std::complex<double> s, double off) const {
  Power result;
  double log_most = 0;
  for (const auto& [scale, count] : parts_) {
    const std::complex<double> z = scale * s;
    const double moved = scale * off + (scale == 1 ? 0 : u * absolute(z));  // proof: lognormal-sum
    ComplexBall g;
    if (moved == 0) {
      g = transform_.centred(z);
    } else {
      const auto [value, slope] = transform_.with_slope(z);
      // proof: lognormal-sum
      g = {value.value, value.error + moved * 1.01 * (absolute(slope.value) + slope.error)};
    }
    const double gr = g.value.real(), gi = g.value.imag(), size = absolute(g.value), modulus = math::hypot(1 + gr, gi);
    const double log_size = size < 1 ? 0.5 * math::log1p(2 * gr + size * size) : math::log(modulus);
    const double angle = math::atan2(gi, 1 + gr);
    // The logarithm of 1 + G: what G's error makes of it, and its rounding, 24 u of |G| where |1 + G| is about 1.
    // proof: lognormal-sum
    const double off_log = g.error / modulus + 32 * u * std::min(size, 2.0) * (1 + 1 / (modulus * modulus));
    // proof: lognormal-sum
    const double wrong = count * off_log * 1.01 + 8 * u * count * (std::fabs(log_size) + std::fabs(angle));
    const bool is_known = off_log < 0.01;
    result.is_known = result.is_known && is_known;
    result.log_size += count * log_size;
    result.turn += count * angle;
    result.wrong += wrong;
    // proof: lognormal-sum
    log_most += is_known ? count * log_size + wrong : count * math::log((modulus + g.error) * (1 + 16 * u));
  }
  result.is_known = result.is_known && result.wrong < 1;
  if (!result.is_known) result.log_size = log_most;  // its size is all that counts
  return result;
}

double LognormalSum::log_moment_above(double c) const {
  double result = 0;
  for (const auto& [scale, count] : parts_)
    result += count * transform_.log_moment_above(scale == 1 ? c : scale * c * (1 + 4 * u));
  return result * (1 + 2 * u * static_cast<double>(parts_.size()));
}

}  // namespace hockeystick
