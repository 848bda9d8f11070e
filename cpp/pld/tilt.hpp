// SPDX-License-Identifier: Apache-2.0
// Exponential tilting: mass m at loss l becomes m e^(tilt l - log_moment). This makes the absolute error of a transform
// relative to the tail that the tilt points at (Wilson & Keich 2016).
#pragma once

#include <vector>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// A tilted step: `mass[j]` belongs to `step->index[j]`. Upper: at least, lower: at most the exact tilted mass.
/// `log_moment` is any double near log E e^(tilt L), taken as exact.
struct TiltedStep {
  const StepPmf* step;
  double tilt;
  double log_moment;
  std::vector<double> mass;
};

TiltedStep tilted(const StepPmf& step, double tilt, double log_moment);

/// Upper bound of log sum_j mass[j] e^(t loss_j), for Chernoff's inequality. Cost: an exponential for each point.
double log_moment_above(const TiltedStep& step, double t);

/// factor e^(log_scale + log_scale_low - tilt loss), relative error at most (9 + |log|) u.
double untilting_factor(const LossPmf& pmf, double loss);

}  // namespace hockeystick
