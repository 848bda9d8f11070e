// SPDX-License-Identifier: Apache-2.0
// Chernoff's inequality for delta: delta(epsilon) <= e^(K(t) - t epsilon) max_y e^(-t y) (1 - e^-y), t >= 0.
#pragma once

#include <cmath>

namespace hockeystick {

/// log max_y e^(-t y) (1 - e^-y) = t log t - (1 + t) log(1 + t), but for rounding; 0 for t <= 0.
inline double log_chernoff_peak(double t) { return t > 0 ? t * std::log(t / (1 + t)) - std::log1p(t) : 0; }

}  // namespace hockeystick
