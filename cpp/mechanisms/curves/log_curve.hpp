// SPDX-License-Identifier: Apache-2.0
// Curves beyond the alpha that doubles hold: a law above goes on at points that are known by their logarithms.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"

namespace hockeystick {

/// A curve has points up to the loss `most_loss` by alpha, others by log alpha. It ends below `least_upper`.
inline constexpr double most_loss = 600, least_upper = 2e-300;

/// h(e^log_alpha) <= upper.
struct LogPoint {
  double log_alpha, upper;
};

/// Spreads the mass at loss +inf of a law above a curve, whose last point is at `alpha`, over points beyond it, by
/// increasing log_alpha: the law still lies above the curve.
void continue_law(AtomicLaw& law, double alpha, std::span<const LogPoint> beyond);

/// Upper values of a curve at alpha >= 1; beyond the loss `most_loss` they are given by logarithms.
struct HalfCurve {
  EnclosedCurve near;
  std::vector<LogPoint> beyond;
};

/// The law above a curve, from upper values of the curve and of its reverse at alpha >= 1.
AtomicLaw law_above(const HalfCurve& forth, const HalfCurve& back);

/// Upper bound of the curve of N(mu, 1) against N(0, 1) at e^x, x > 0, mu >= 2; close where mu is 10 or more.
double far_gaussian_above(double mu, double x);

}  // namespace hockeystick
