// SPDX-License-Identifier: Apache-2.0
// Quantities shared by the sampled pairs: A = 1 - q + q e^t, the posterior weight q e^t / A, and
// the inverse of l = log A, each stable for every t and every q in (0, 1).
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// The odds q e^t / (1 - q) with t = mu (x - mu/2) and its mirror image, relative error 16 u: the
/// exponent is carried in two doubles.
inline double sampling_odds(double mu, double q, double x) {
  const auto [hi, lo] = two_sum(x, -mu / 2);
  const auto [product, error] = two_product(mu, hi);
  if (product > 700) return infinity;
  return exp_sum(product, error + mu * lo) * (q / (1 - q));
}

/// log(1 - q + q e^t).
inline double sampled_loss(double q, double t) {
  constexpr double far = 600;
  if (q > 0.5 && t < -0.5) return math::log((1 - q) + q * math::exp(t));  // 1 - q is exact
  if (t <= far) return math::log1p(q * math::expm1(t));
  const double grown = q * math::exp(far), rest = t - far;  // 1 and q are nothing to e^600
  return rest < 700 && grown * math::exp(rest) < 1e300 ? math::log1p(grown * math::exp(rest)) : t + math::log(q);
}

/// Upper bound of the error of `loss` = sampled_loss(q, t), t exact. log1p of y = q expm1(t): y is within 5 u, beyond
/// 600 within 12 u, which moves the result by 10 u |loss| at most for -0.5 <= y < 0, by 12 u |loss| for y > 0, if by
/// more than underflow; or a sum within 6 u. Where y is beyond doubles the loss is above 550, and log q, above -745,
/// within 4 u.
inline double sampled_loss_error(double q, double t, double loss) {
  if (q > 0.5 && t < -0.5) return u * (8 + 4 * std::fabs(loss));
  return 16 * u * std::fabs(loss) + 1e-323;
}

/// t with log(1 - q + q e^t) = loss, and a bound of the loss error that its rounding makes.
struct SampledInverse {
  double t;  // -inf if the loss is at or below log(1 - q)
  double loss_error;
};

inline SampledInverse sampled_inverse(double q, double loss) {
  if (loss > 1) {
    const double t = loss + math::log1p(-(1 - q) * math::exp(-loss)) - math::log(q);
    return {t, u * (6 * loss + 8 * std::fabs(math::log(q)) + 4)};
  }
  // e^t = (e^loss - 1 + q) / q. The numerator's error is at most 6 u (q + |e^loss - 1|), or with 1 - q exact
  // 5 u e^loss, and dl/dt = (e^loss - 1 + q) e^-loss takes its relative size away again.
  const bool likely = q > 0.5 && loss < -0.5;
  const double rise = math::expm1(loss), excess = likely ? math::exp(loss) - (1 - q) : rise + q;
  if (!(excess > 0)) return {-infinity, 8 * u * (likely ? 1 : q / (1 - q))};
  const double slope = excess * math::exp(-loss);
  // Where the quotient overflows t is above 709, and log q above -745, within 4 u.
  // A small t is accurate relative to itself: 5 u in the quotient, which log1p amplifies by 1.45 at most.
  if (!likely && std::fabs(rise) <= q / 2) {
    const double t = math::log1p(rise / q);
    return {t, 13 * u * slope * std::fabs(t)};
  }
  const double quotient = excess / q, t = quotient < infinity ? math::log(quotient) : math::log(excess) - math::log(q);
  const double numerator = likely ? 6 * u : 6 * u * (q + std::fabs(rise)) * math::exp(-loss);
  return {t, numerator + u * slope * (6 * std::fabs(t) + 2)};
}

/// An edge at t and the posterior weight q e^t / (1 - q + q e^t) there, to be at most 1 % too small.
struct SampledEdge {
  double t, weight, loss_error;
};

/// sampled_inverse of each loss, on vectors.
std::vector<SampledEdge> sampled_inverses(double q, std::span<const double> losses);

/// The posterior weight at each x, or 1 where the odds are beyond 1e300, on vectors and in place, 0 at infinite x: as
/// sampling_odds.
void sampled_weights(double mu, double q, std::span<double> x);

/// sampled_loss at each t, on vectors and in place, within sampled_loss_error: of log1p(y) at large y, 5 u of y moves
/// the result by 5 u, log1p itself by 4 u of t; t beyond 600 is added, which is right to e^-100 for q >= 1e-200 and
/// rounds once. And the posterior weights there, to 1e-9, for t from -708 on.
void sampled_losses(double q, std::span<double> t, std::span<double> weights);

}  // namespace hockeystick
