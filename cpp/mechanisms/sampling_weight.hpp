// SPDX-License-Identifier: Apache-2.0
// Quantities shared by the sampled pairs: A = 1 - q + q e^t, the posterior weight q e^t / A, and
// the inverse of l = log A, each stable for every t and every q in (0, 1).
#pragma once

#include <cmath>
#include <limits>

#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// The odds q e^t / (1 - q) with t = mu (x - mu/2) and its mirror image, relative error 16 u: the
/// exponent is carried in two doubles.
inline double sampling_odds(double mu, double q, double x) {
  const auto [hi, lo] = two_sum(x, -mu / 2);
  const auto [product, error] = two_product(mu, hi);
  if (product > 700) return std::numeric_limits<double>::infinity();
  return exp_sum(product, error + mu * lo) * (q / (1 - q));
}

/// log(1 - q + q e^t).
inline double sampled_loss(double q, double t) {
  if (t > 30) return t + std::log(q) + std::log1p((1 - q) / q * std::exp(-t));
  return std::log1p(q * std::expm1(t));
}

/// t with log(1 - q + q e^t) = loss, and a bound of the loss error that its rounding makes.
struct SampledInverse {
  double t;  // -inf if the loss is at or below log(1 - q)
  double loss_error;
};

inline SampledInverse sampled_inverse(double q, double loss) {
  constexpr double u = unit_roundoff;
  if (loss > 1) {
    const double t = loss + std::log1p(-(1 - q) * std::exp(-loss)) - std::log(q);
    return {t, u * (6 * loss + 8 * std::fabs(std::log(q)) + 4)};
  }
  // e^t = (e^loss - 1 + q) / q. The numerator's error is at most 6 u (q + |e^loss - 1|), and
  // dl/dt = (e^loss - 1 + q) e^-loss takes its relative size away again.
  const double excess = std::expm1(loss) + q;
  if (!(excess > 0)) return {-std::numeric_limits<double>::infinity(), 8 * u * q / (1 - q)};
  const double t = std::log(excess / q);
  const double slope = excess * std::exp(-loss);
  const double numerator = 6 * u * (q + std::fabs(std::expm1(loss))) * std::exp(-loss);
  return {t, numerator + u * slope * (6 * std::fabs(t) + 2)};
}

}  // namespace hockeystick
