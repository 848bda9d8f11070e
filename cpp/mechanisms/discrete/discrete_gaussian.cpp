// SPDX-License-Identifier: Apache-2.0
// The discrete Gaussian mechanism: P(x) = e^(-x^2 / (2 sigma^2)) / Z on the integers within [-B, B] against
// Q(x) = P(x - s). Its own reverse, by x -> s - x. Source: Canonne, Kamath & Steinke (2020).
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include "mechanisms/discrete/atomic_registration.hpp"
#include "mechanisms/discrete/discrete_gaussian_line.hpp"
#include "numeric/elementary.hpp"
#include "numeric/exponential.hpp"
#include "numeric/interval.hpp"
#include "numeric/range.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double most_atoms = 1e7;

// Integers are listed up to R = ceil(38 sigma) from the centre. Beyond, where x >= R + 1,
//     sum e^(-x^2 / (2 sigma^2)) <= integral from R on <= sigma sqrt(pi / 2) e^(-R^2 / (2 sigma^2)),
// while Z >= 1 and, untruncated, Z >= sigma sqrt(2 pi) (their Proposition 25), so that both tails together have at most
// e^(-38^2 / 2) < 3e-314 of the mass. If truncated at B > R, Z is smaller only by that fraction (proved).
constexpr double radius = 38;  // proof: cut-masses
constexpr double tail_mass = 1e-307;

// e^(-x^2 / (2 sigma^2)) to 7 u: with x / sigma = t + e exact to u^2, the exponent is carried in two doubles.
double weight(double x, double sigma) {
  const double t = x / sigma, e = exact_remainder(x, t, sigma) / sigma;
  const auto [square, rest] = two_product(t, t);
  return square > 1500 ? 0 : exp_sum(-square / 2, -(rest / 2 + t * e));
}

std::vector<double> weights(double sigma, double last) {
  std::vector<double> result;
  for (double x = 0; x <= last; ++x) checkpoint_each<8192>(result.size()), result.push_back(weight(x, sigma));
  return result;
}

double normaliser(const std::vector<double>& weights) {
  CompensatedSum sum;
  for (std::size_t x = 1; x < weights.size(); ++x) sum.add(2 * weights[x]);
  sum.add(weights[0]);
  return sum.value();
}

// E_P[e^(t L)] over the outcomes beyond R. With y = -x, L = s^2 / (2 sigma^2) + s y / sigma^2, so that e^(t L) P(y) is
// e^(t (t+1) s^2 / (2 sigma^2)) times e^(-(y - t s)^2 / (2 sigma^2)) / Z. The sum of the latter over all integers is at
// most 1 (by Poisson summation a shift lowers it), and over those with y - t s >= v sigma >= 0 at most e^(-v^2 / 2) (1
// + sigma sqrt(pi / 2)) / Z <= 1.5 e^(-v^2 / 2): a decreasing sum is at most its first term plus the integral.
double unlisted_moment(double sigma, double s, double t) {
  const double v = radius * (1 - 1e-12) - t * s / sigma;
  const double above = v > 0 ? std::fmin(1, 1.5 * math::exp(-v * v / 2)) : 1;
  // proof: tail-moments
  return math::exp(t * (t + 1) * (s / sigma) * (s / sigma) / 2 * (1 + 8 * u)) * (above * (1 + 1e-9) + tail_mass);
}

// log theta(a), theta(a) = sum over the integers of e^(-(y - a)^2 / (2 sigma^2)), for sigma < 1 and a >= 0 that is off
// by `slack`; in units of the largest term, with y - a within u of itself.
Interval log_theta(double sigma, double a, double slack) {
  const double from = a - std::floor(a), near = std::fmin(from, 1 - from), square = sigma * sigma;
  CompensatedSum sum;
  double error = 1e-300;  // the omitted terms: less than e^(-39^2 / 2) each, and falling
  for (double y = -40; y <= 41; ++y) {
    const double apart = std::fabs(y - from), exponent = (apart - near) * (apart + near) / (2 * square);
    const double term = math::exp(-exponent);
    sum.add(term);
    error += term * (u * (2.1 * apart * apart / square + 4 * exponent + 4) + 1.1 * slack * (apart + near) / square);
  }
  const double unit = near * near / (2 * square);
  const double off = error / sum.value() + u * (6 * unit + 8) + 1.1 * slack * (near + slack) / square;
  if (!(off < 0.01)) return {-infinity, infinity};
  const double value = math::log(sum.value()) - unit;
  return {value - 1.01 * off, value + 1.01 * off};  // proof: log-moments
}

// log(theta(a) / theta(0)), which is at most 0.
Interval log_theta_ratio(double sigma, double a, double slack) {
  if (sigma >= 1) {
    // By Poisson summation theta(a) = sigma sqrt(2 pi) (1 + 2 sum_k e^(-2 pi^2 sigma^2 k^2) cos(2 pi k a)).
    const double rest = 2.01 * math::exp(-19.7 * sigma * sigma);
    return {-2.01 * rest, 0};  // proof: log-moments
  }
  const Interval there = log_theta(sigma, a, slack), here = log_theta(sigma, 0, 0);
  return {there.lower - here.upper, std::fmin(0, there.upper - here.lower)};
}

// The same over all outcomes: e^(t (t+1) s^2 / (2 sigma^2)) theta(t s) / theta(0).
Interval log_moment(double sigma, double s, double t) {
  const double ratio = s / sigma, value = t * (t + 1) * ratio * ratio / 2, shift = t * s;
  if (!std::isfinite(value)) return {-infinity, infinity};
  const Interval theta = log_theta_ratio(sigma, shift, u * shift);
  return {value * (1 - 8 * u) + theta.lower * (1 + 2 * u), value * (1 + 8 * u) + theta.upper * (1 - 2 * u)};
}

// The loss ((x - s)^2 - x^2) / (2 sigma^2) = s (s - 2x) / (2 sigma^2): an exact integer over 2 sigma^2, off by 2 u
// of itself. Masses: two weights 7 u, the sum 2 u, the quotient u.
AtomicLaw discrete_gaussian(Parameters parameters) {
  const double sigma = parameters[0], s = parameters[1], bound = parameters[2];
  const double last = std::fmin(bound, std::ceil(radius * sigma));
  if (2 * last + s > most_atoms)
    throw std::invalid_argument("sigma, shift and truncation must give at most 1e7 outcomes, got " +
                                written(2 * last + s));
  std::vector<double> mass_at = weights(sigma, last);
  const double z = normaliser(mass_at);
  for (double& mass : mass_at) mass /= z;
  const auto mass = [&](double x) { return std::fabs(x) > last ? 0 : mass_at[static_cast<std::size_t>(std::fabs(x))]; };
  AtomicLaw law;
  law.atoms.reserve(static_cast<std::size_t>(2 * last + s) + 1);
  for (double x = last + s; x >= -last; --x) {
    checkpoint_each<8192>(law.atoms.size());
    const double p = mass(x), q = mass(x - s);
    const double finite = s * (s - 2 * x) / (2 * sigma * sigma);
    const double loss = std::fabs(x - s) > bound ? infinity : std::fabs(x) > bound ? -infinity : finite;
    if (p == 0 && q == 0 && std::isfinite(loss)) continue;  // an infinite loss remains one, however rare
    if (std::isfinite(loss)) law.loss_error = std::max(law.loss_error, 2.01 * u * std::fabs(loss));
    law.atoms.push_back({loss, p, q});
  }
  law.loss_rounding = 2.01 * u;
  law.mass_error = 18 * u;  // proof: discrete-laws
  if (last < bound) law.cut = law.reverse_cut = tail_mass;
  law.reach = law.reverse_reach = infinity;  // of far outcomes, or of those beyond the truncation
  if (bound == infinity) {
    law.cut_moment = law.reverse_cut_moment = [=](double t) { return unlisted_moment(sigma, s, t); };
    law.log_moment = law.reverse_log_moment = [=](double t) { return log_moment(sigma, s, t); };
    if (sigma >= DiscreteGaussianLine::least_sigma)
      law.moment_line = law.reverse_moment_line = [=](double tilt) {
        return std::make_unique<DiscreteGaussianLine>(sigma, s, tilt, &log_moment);
      };
    // D_a <= a s^2 / (2 sigma^2), with equality where (a - 1) s is whole.
    const double slope = (s / sigma) * (s / sigma) / 2;
    law.slope_bound = slope * (1 + 8 * u);  // proof: zcdp
    law.slope_limit = law.reverse_slope_limit = slope * (1 - 8 * u);
  }
  return law;
}

// Without truncation that is infinite.
const AtomicRegistration registration(discrete_gaussian, "discrete_gaussian",
                                      {{{"sigma", ranges::noise_multiplier},
                                        {"shift", shifts},
                                        {"truncation", {1, ranges::infinite, Range::Ends::closed, true}}}});

}  // namespace
}  // namespace hockeystick
