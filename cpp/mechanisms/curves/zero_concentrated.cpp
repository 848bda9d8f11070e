// SPDX-License-Identifier: Apache-2.0
// A mechanism that is rho-zCDP: D_a <= rho a for all orders a > 1 in both directions. The file has a pair that
// dominates every such mechanism, and pairs that some of them attain (cpp/proofs/zero-concentrated-curve.md). For alpha
// >= 1 and any t > 0,
//     h(alpha) <= e^(rho t (t + 1)) alpha^-t (1 + 1/t)^-(1 + t) / t.
#include "mechanisms/curves/zero_concentrated.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "mechanisms/curves/log_curve.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// The best t at epsilon, where rho (2 t + 1) - log(1 + 1/t) = epsilon, from one at or before it. The left side is
// concave and rises, so that Newton's method stays before the root. Any t is valid.
double best_order(double rho, double epsilon, double t) {
  for (int i = 0; i < 60; ++i) {
    const double next = t + (epsilon - rho * (2 * t + 1) + math::log1p(1 / t)) / (2 * rho + 1 / (t * (t + 1)));
    if (!(next > t * (1 + 1e-12)) || !std::isfinite(next)) break;
    t = next;
  }
  return t;
}

// Upper bound of h(e^epsilon), epsilon >= 0, by the order 1 + t.
double value_above(double rho, double epsilon, double t) {
  const double a = rho * t * (1 + t), b = t * epsilon, c = (1 + t) * math::log1p(1 / t), d = math::log(t);
  const double error = 16 * u * (a + b + c + std::fabs(d));  // proof: zero-concentrated-curve
  return math::exp(std::min(0.0, a - b - c - d + error)) * (1 + 8 * u) + 1e-300;
}

AtomicLaw above(Parameters p) {
  const double rho = p[0], cells = p[1], tail = p[2];
  const double step = std::max(std::sqrt(2 * rho) / cells, 0x1p-46);  // neighbouring points must be distinct
  double t = 1;
  while (t > 1e-300 && rho * (2 * t + 1) > math::log1p(1 / t)) t /= 2;
  return law_of_both_directions({.divergence = rho, .first = 0, .step = step, .tail = tail}, [&](double epsilon) {
    t = best_order(rho, epsilon, t);
    return value_above(rho, epsilon, t);
  });
}

// Two outcomes, p = e^(-rho t^2) and q = e^(-rho (t + 1)^2) of the first one but for a little less.
struct TwoOutcomes {
  double loss, p, q;
  bool is_concentrated;  // known to be rho-zCDP
};

TwoOutcomes two_outcomes(double rho, double t) {
  const double power = rho * t * (t + 1), left = math::exp(-power), loss = rho * (2 * t + 1);
  // proof: zero-concentrated-curve
  const double p = math::exp(-rho * t * t) * (1 - 2.1 * left) * (1 - 1e-9), q = p * math::exp(-loss), exact = 1 - 1e-9;
  // proof: zero-concentrated-curve
  const bool is_concentrated = (4 * power + rho) * left <= 0.05 && p * (2 * t + 1) <= exact &&
                               -math::log1p(-p) <= rho * exact && power < 700 && q > 1e-290;
  return {loss, p, q, is_concentrated};
}

AtomicLaw below(Parameters parameters) {
  const auto [loss, p, q, is_concentrated] = two_outcomes(parameters[0], parameters[1]);
  if (!is_concentrated) throw std::invalid_argument("t must be such that two outcomes are known to be rho-zCDP");
  AtomicLaw law;
  const double with = math::log1p(-p), without = math::log1p(-q);
  law.atoms = {{with - without, 1 - p, 1 - q}, {loss, p, q}};
  law.mass_error = 8 * u;                            // proof: zero-concentrated-curve
  law.loss_error = 8 * u * (loss - with - without);  // proof: zero-concentrated-curve
  law.bound = loss;
  law.reverse_bound = (without - with) * (1 + 16 * u);
  return law;
}

// `cells` is the number of cells in a deviation sqrt(2 rho) of the loss; the curve ends where it falls to `tail`.
const AtomicRegistration registration_above(
    above, "zero_concentrated_above",
    {{{"rho", {1e-24, 1e9}}, parameter::cells, {"tail", {1e-300, 1, Range::Ends::open_above}}}});
const AtomicRegistration registration_below(below, "zero_concentrated_below",
                                            {{{"rho", {1e-24, 9e4}}, {"t", ranges::positive}}});

}  // namespace

double least_concentrated_order(double rho, double t) {
  constexpr double power = 6;  // with less, no two outcomes are known
  for (t = std::max(t, 2 * power / rho / (1 + std::sqrt(1 + 4 * power / rho))); rho * t * (t + 1) < 700; t *= 1.02)
    if (two_outcomes(rho, t).is_concentrated) return t;
  return std::numeric_limits<double>::infinity();
}

double variation_above(double divergence) {
  return std::sqrt(std::min(divergence / 2, -math::expm1(-divergence))) *
         (1 + 16 * u);  // proof: zero-concentrated-curve
}

AtomicLaw law_of_both_directions(const BothDirections& points, const std::function<double(double)>& value_at) {
  const double variation = variation_above(points.divergence);
  HalfCurve half{{{1}, {}, {variation}}, {}};
  for (std::size_t k = points.first > 0 ? 0 : 1; k < (1 << 20); ++k) {
    checkpoint_each<64>(k);
    const double x = points.first + points.step * static_cast<double>(k), alpha = 1 + math::expm1(x);
    const bool is_far = x > most_loss;
    const double upper = std::min(variation, value_at(is_far ? x : math::log(alpha)));
    if (is_far)
      half.beyond.push_back({x, upper});
    else
      half.near.alpha.push_back(alpha), half.near.upper.push_back(upper);
    if (upper < std::max(points.tail, least_upper)) break;
  }
  return law_above(half, half);
}

double zero_concentrated_delta(double rho, double epsilon, double t) {
  return std::min({1.0, variation_above(rho), value_above(rho, epsilon, t)});
}

// Epsilon where the bound of delta is `delta`: rho (1 + t) - log(1 + 1/t) - (log delta + log(1 + t)) / t.
double zero_concentrated_epsilon(double rho, double delta, double t) {
  if (variation_above(rho) <= delta) return 0;
  const double a = rho * (1 + t), b = math::log1p(1 / t), c = -math::log(delta) / t, d = math::log1p(t) / t;
  const double error = 8 * u * (a + b + c + d);  // proof: zero-concentrated-curve
  return std::max(0.0, a - b + c - d + error);
}

}  // namespace hockeystick
