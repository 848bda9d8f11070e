// SPDX-License-Identifier: Apache-2.0
#include "methods/exponential_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t n = ExponentialFit::parts;

// Solves for the weights, by elimination with the largest pivots.
std::array<double, n> solved(std::array<std::array<double, n + 1>, n> rows) {
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(rows[i][k]) > std::fabs(rows[best][k])) best = i;
    std::swap(rows[k], rows[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= n; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::array<double, n> x{};
  for (std::size_t k = n; k-- > 0;) {
    x[k] = rows[k][n];
    for (std::size_t j = k + 1; j < n; ++j) x[k] -= rows[k][j] * x[j];
    x[k] /= rows[k][k];
  }
  return x;
}

// The rounding of a loss less epsilon, and of this difference less the centre, in units of the exponents.
double off_at(double epsilon, double loss, double centre) {
  return 4 * u * (std::fabs(epsilon) + std::fabs(loss) + std::fabs(centre));
}

constexpr double tiny = 1e-300;  // covers underflow

}  // namespace

CurveKnots curve_knots(const PairCells& parts, std::size_t first, std::span<const double> losses) {
  const std::size_t cells = losses.size() - 1;
  const std::vector<double> empty(losses.size());
  CurveKnots knots{
      {losses.begin(), losses.end()}, empty, empty, empty, {parts.infinity_mass_lower, parts.infinity_mass}};
  // proof: one-large-loss
  const double relative = parts.share_error + parts.share_error_p + parts.mass_error + 4 * parts.loss_error +
                          16 * u * static_cast<double>(cells + 8);
  double mass = parts.upper_tail_p, delta = parts.upper_tail_above, called = std::max(0.0, mass - delta);
  for (std::size_t i = cells;; --i) {
    knots.delta[i] = delta, knots.called[i] = called;
    knots.error[i] = relative * mass * (1 + 1e-9) + tiny;
    if (i == 0) return knots;
    const auto& [p, above, below] = parts.cells[first + i - 1];
    const double fallen = math::expm1(losses[i - 1] - losses[i]);
    delta += above - fallen * called;
    called += fallen * called + std::max(0.0, p - above);
    mass += p;
  }
}

ExponentialFit::ExponentialFit(const CurveKnots& knots, double epsilon, double centre, double unit, double within,
                               StepCurve curve)
    : centre_(centre), unit_(unit), curve_(curve) {
  // Where Chebyshev's polynomial of degree 5 vanishes.
  constexpr std::array roots{-0.9510565162951535, -0.5877852522924731, 0.0, 0.5877852522924731, 0.9510565162951535};
  std::array<std::array<double, n + 1>, n> rows{};
  for (std::size_t k = 0; k < n; ++k) {
    const auto next = std::lower_bound(knots.loss.begin(), knots.loss.end(), epsilon - centre - within * roots[k]);
    const auto i = std::min(static_cast<std::size_t>(next - knots.loss.begin()), knots.loss.size() - 1);
    for (std::size_t j = 0; j < n; ++j) rows[k][j] = math::exp(exponent(unit, j) * (epsilon - knots.loss[i] - centre));
    rows[k][n] = knots.value(curve, i) + knots.infinite.lower;
  }
  weights_ = solved(rows);
  for (const double weight : weights_)
    if (!std::isfinite(weight)) weights_ = {};
}

// The relative error of e^(unit (s - centre)), whose exponent is off by `off`.
ExponentialFit::Value ExponentialFit::value(double power, double off) const {
  Value result{0, 0, 0, 0};
  double part = power;
  for (std::size_t k = 0; k < n; ++k, part *= power * power) {
    const double term = weights_[k] * part, square = exponent(unit_, k) * exponent(unit_, k);
    result.sum += term, result.bent += square * term;
    result.error += std::fabs(term), result.bound += square * square * std::fabs(term);
  }
  result.error *= 64 * u + exponent(1, n - 1) * off;  // proof: exponential-fit
  result.bound *= 1 + 1e-9;
  return result;
}

double ExponentialFit::largest(double s) const {
  double sum = 0;
  for (std::size_t k = 0; k < n; ++k) sum += std::fabs(weights_[k]) * math::exp(exponent(unit_, k) * (s - centre_));
  return sum * (1 + 1e-9);
}

std::vector<ExponentialFit::Apart> ExponentialFit::apart(const CurveKnots& knots, double epsilon) const {
  const std::size_t count = knots.loss.size() - 1;
  std::vector<double> powers(2 * count + 1);  // at each knot, and between two
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const double loss = knots.loss[i / 2] + (i % 2 == 1 ? (knots.loss[i / 2 + 1] - knots.loss[i / 2]) / 2 : 0);
    powers[i] = unit_ * (epsilon - loss - centre_);
  }
  exponentials(powers);
  const auto value_at = [&](std::size_t i) {
    return value(powers[i], unit_ * off_at(epsilon, knots.loss[(i + 1) / 2], centre_));
  };
  std::vector<Apart> found;
  Value from = value_at(0);
  for (std::size_t i = 0; i < count; ++i) {
    const Value to = value_at(2 * i + 2);
    found.push_back(apart(knots, i, from, value_at(2 * i + 1), to));
    from = to;
  }
  return found;
}

ExponentialFit::Apart ExponentialFit::apart(const CurveKnots& knots, std::size_t i, const Value& from,
                                            const Value& middle, const Value& to) const {
  const double width = knots.loss[i + 1] - knots.loss[i], half = width / 2, square = width * width;
  const double steepest = exponent(unit_, n - 1) * exponent(unit_, n - 1);
  // The second derivative between the knots; the fourth is largest where s is.
  const double wave = square / 8 * from.bound + (from.error + to.error) * steepest;  // proof: exponential-fit
  const double most = std::max(from.bent, to.bent) + wave, least = std::min(from.bent, to.bent) - wave;
  const double high = knots.value(curve_, i) + knots.error[i], last = knots.value(curve_, i + 1) - knots.error[i + 1];
  const auto found = [&](double above, double below) {
    return Apart{std::max(0.0, above + knots.infinite.upper) * (1 + 1e-9),
                 std::max(0.0, below - knots.infinite.lower) * (1 + 1e-9)};  // proof: exponential-fit
  };
  if (curve_ == StepCurve::tail) {  // the tail lies between its values at the knots
    const double lowest = std::min(from.sum - from.error, to.sum - to.error);
    const double highest = std::max(from.sum + from.error, to.sum + to.error);
    // proof: exponential-fit
    return found(high - lowest + square / 8 * std::max(0.0, most), highest - last + square / 8 * std::max(0.0, -least));
  }
  // Above, delta lies below its chord, a line in e^loss.
  const double low = knots.delta[i + 1] + knots.error[i + 1];
  const double fall = std::max(0.0, high - low) / -math::expm1(-width) * (1 + 1e-9);
  const double spare = std::min(from.sum - from.error - high, to.sum - to.error - low);
  const double above = square / 8 * std::max(0.0, most + fall) - spare;  // proof: exponential-fit
  // Below, delta lies above its tangents at both knots, each on its half of the interval.
  const double first = knots.delta[i] - knots.error[i];
  const double first_end = first - math::expm1(half) * (knots.called[i] + knots.error[i]);
  const double last_end =
      last - math::expm1(-half) * std::max(0.0, knots.called[i + 1] - knots.error[i + 1]);  // proof: exponential-fit
  const double over = std::max({from.sum + from.error - first,
                                middle.sum + middle.error - std::min(first_end, last_end), to.sum + to.error - last});
  return found(above, square / 32 * std::max(0.0, -least) + over);  // proof: exponential-fit
}

double average_apart(std::span<const double> loss, std::span<const double> apart, double epsilon, double centre,
                     const ChernoffTable& above, const ChernoffTable& below, double right, double left) {
  const auto next = std::lower_bound(loss.begin() + 1, loss.end() - 1, epsilon - centre);
  const auto middle = static_cast<std::size_t>(next - loss.begin()) - 1;
  double sum = apart[middle], known = apart[middle];
  for (std::size_t i = middle; i-- > 0;)
    if (apart[i] > known) {
      // proof: exponential-fit
      sum += (apart[i] - known) * std::min(1.0, above.at(down(epsilon - loss[i + 1])));
      known = apart[i];
    }
  known = apart[middle];
  for (std::size_t i = middle + 1; i < apart.size(); ++i)
    if (apart[i] > known) {
      // proof: exponential-fit
      sum += (apart[i] - known) * std::min(1.0, below.at(up(epsilon - loss[i])));
      known = apart[i];
    }
  // proof: exponential-fit
  sum += right * above.at(down(epsilon - loss.front())) + left * std::min(1.0, below.at(up(epsilon - loss.back())));
  return sum * (1 + u * static_cast<double>(2 * apart.size() + 16));
}

}  // namespace hockeystick
