// SPDX-License-Identifier: Apache-2.0
// Chernoff's inequality for delta: delta(epsilon) <= e^(K(t) - t epsilon) max_y e^(-t y) (1 - e^-y), t >= 0.
#pragma once

#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// log max_y e^(-t y) (1 - e^-y) = t log t - (1 + t) log(1 + t), within 16 u of 1 + its size; 0 for t <= 0. The first
/// of the two parts lies in [-1, 0].
inline double log_chernoff_peak(double t) {
  if (!(t > 0)) return 0;
  const double fall = t < 1 ? t * math::log(t / (1 + t)) : -t * math::log1p(1 / t);
  return fall - math::log1p(t);
}

/// Upper bound of K, except for the rounding of its terms, with the peak. `size`: of all terms together.
struct ChernoffMoment {
  double tilt, log_moment = 0, size = 0;
  double peak = log_chernoff_peak(tilt);

  /// A step's stored log moment and an upper bound of its remainder, `count` times.
  void add(double count, double stored, double rest) {
    log_moment += count * (stored + rest);
    size +=                                                                          // proof: chernoff-rounding
        count * (std::fabs(stored) + std::fabs(rest)) + std::fabs(log_moment) / 32;  // a rounding of the sum is in 64 u
  }

  /// The exponent of the bound, rounded up; losses are off by `loss_error`.
  double log_above(double epsilon, double loss_error) const {
    if (!(tilt >= 0)) return infinity;  // no bound; proof: chernoff-rounding
    const double all = size + std::fabs(peak) + tilt * (std::fabs(epsilon) + loss_error) + 1;
    // proof: chernoff-rounding
    return log_moment + peak - tilt * (epsilon - 1.01 * loss_error) + 64 * unit_roundoff * all;
  }
};

}  // namespace hockeystick
