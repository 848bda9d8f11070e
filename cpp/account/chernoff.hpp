// SPDX-License-Identifier: Apache-2.0
// Chernoff's inequality for delta: delta(epsilon) <= e^(K(t) - t epsilon) max_y e^(-t y) (1 - e^-y), t >= 0.
#pragma once

#include <cmath>
#include <limits>

#include "numeric/rounding.hpp"

namespace hockeystick {

/// log max_y e^(-t y) (1 - e^-y) = t log t - (1 + t) log(1 + t), within 16 u of 1 + its size; 0 for t <= 0. The first
/// of its two parts lies in [-1, 0].
inline double log_chernoff_peak(double t) {
  if (!(t > 0)) return 0;
  const double fall = t < 1 ? t * std::log(t / (1 + t)) : -t * std::log1p(1 / t);
  return fall - std::log1p(t);
}

/// K from above, a sum of terms >= 0 or nearly so, with the peak.
struct ChernoffMoment {
  double tilt, log_moment;
  double peak = log_chernoff_peak(tilt);

  /// The exponent of the bound, rounded up; losses off by `loss_error`.
  double log_above(double epsilon, double loss_error) const {
    if (!(tilt >= 0)) return std::numeric_limits<double>::infinity();  // no bound
    const double size = std::fabs(log_moment) + tilt * std::fabs(epsilon) + 1;
    return log_moment + peak - tilt * (epsilon - 1.01 * loss_error) + 64 * unit_roundoff * size;
  }
};

}  // namespace hockeystick
