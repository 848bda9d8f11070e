// SPDX-License-Identifier: Apache-2.0
// The hockey-stick curve of two normal laws, from above.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {

/// `factor` T(far) for far >= 0, where log_ratio is log(factor phi(far) / phi(near)): by the density at `near` where
/// T(far) alone underflows, which a large factor would not forgive.
inline double scaled_tail(double factor, double far, double near, double log_ratio) {
  const double tail = normal_tail(far);
  // proof: fixed-size-curve
  return tail > 1e-290 ? factor * tail : normal_pdf(near) * math::exp(log_ratio) * mills_ratio(far);
}

/// Upper bound of the curve of N(mu, 1) against N(0, 1) at alpha >= 1, which is off by `off`. The tails are within
/// normal_error; a relative error r of their argument x moves them by r x (x + 1) of themselves.
inline double gaussian_above(double mu, double alpha, double off) {
  const double x = math::log(alpha) / mu, near = x - mu / 2, far = x + mu / 2;
  const double p = normal_tail(near), q = scaled_tail(alpha, far, near, 0), size = std::fabs(x) + mu;
  // proof: fixed-size-curve
  const double error = (normal_error + (16 + 16 * size * (size + 1)) * u) * (p + q) + off / alpha * q * 1.01;
  return std::max(0.0, p - q) + error + 1e-300;
}

}  // namespace hockeystick
