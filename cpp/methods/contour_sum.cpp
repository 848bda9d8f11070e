// SPDX-License-Identifier: Apache-2.0
#include "methods/contour_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

// The log of a sum over j >= 1 of bounds: the first is e^first, and each further one is e^-fall times the one before.
double log_geometric(double first, double fall) { return fall > 0 ? first - math::log(-math::expm1(-fall)) : infinity; }

// Upper bound of the difference of two logarithms, each off by two roundings.
double raised(double log, double by) { return log - by + 4 * u * (std::fabs(log) + std::fabs(by)); }

}  // namespace

ContourSum::ContourSum(const ContourProduct& product, const Smoothing& smoothing)
    : contour_(product.contour()), spacing_(2 * std::numbers::pi / contour_.period), left_out_(product.left_out()) {
  const Ball log_moment = product.log_moment();
  log_moment_ = log_moment.value, log_moment_error_ = log_moment.error;
  // k > 0: e^(c k p) delta(eps + k p) <= e^(B(higher) - (higher - c) k p), B the Chernoff bound at eps; k < 0 likewise.
  const double rise = contour_.higher - contour_.tilt, fall = contour_.tilt - contour_.lower;
  log_higher_ =
      log_geometric(raised(product.higher().log_delta(0), rise * contour_.period), rise * contour_.period * (1 - 1e-9));
  log_lower_ =
      log_geometric(raised(product.lower().log_delta(0), fall * contour_.period), fall * contour_.period * (1 - 1e-9));
  weigh(product, smoothing);
}

void ContourSum::weigh(const ContourProduct& product, const Smoothing& smoothing) {
  const std::size_t count = contour_.count;
  const double c = contour_.tilt, sign = c > 0 ? 1 : -1;  // proof: contour-complement
  re_.assign((count + 7) / 8 * 8, 0.0);
  im_.assign(re_.size(), 0.0);
  const Smoothing::Line line(smoothing, c);
  for (std::size_t k = 0; k < count; ++k) {
    auto [value, error] = product.at(k);
    // 1 / (z (z + 1)) at z = c + i w: the conjugate of z (z + 1) over its square.
    const double w = spacing_ * static_cast<double>(k), twice = k == 0 ? 1 : 2;
    const double square = (c * c + w * w) * ((c + 1) * (c + 1) + w * w);
    const double re = sign * (c * (c + 1) - w * w) / square, im = -sign * w * (2 * c + 1) / square;
    const auto factor = line.at(w);
    const double size_of_factor = modulus_above(factor.value), size_of_value = modulus_above(value);
    error = error * (size_of_factor + factor.error) + size_of_value * factor.error;
    value = product_of(value, factor.value);
    const double inverse = 1 / std::sqrt(square), size = size_of_value * size_of_factor * inverse;
    rounding_ += twice * (error * inverse * (1 + 1e-12) + 24 * u * size);
    turning_ += twice * size * static_cast<double>(k);
    total_ += twice * size;
    re_[k] = twice * (value.real() * re - value.imag() * im);
    im_[k] = twice * (value.real() * im + value.imag() * re);
  }
  // sum over k >= count of (count / k)^p / (k h)^2 <= (1 + 1 / (count - 1))^p / ((p + 1) h^2 (count - 1)), twice for
  // both signs of k.
  const double rest = static_cast<double>(count - 1), from = spacing_ * static_cast<double>(count);
  const double order = smoothing.order(from);
  tail_ = 2.01 * math::exp(product.log_beyond()) * smoothing.bound(c, from) * math::exp(order * math::log1p(1 / rest)) /
          ((order + 1) * spacing_ * spacing_ * rest);  // proof: contour-tail
}

namespace {

constexpr std::size_t together = 8;  // questions

// e^x of three numbers for each question, padded to a multiple of 8, within 2 u. The kernel raises results below e^-708
// to that, which would be wrong for a lower bound.
void exponentials(std::span<double> x) {
  std::array<double, 3 * together> logs;
  std::copy(x.begin(), x.end(), logs.begin());
  default_fft_kernel().exponentials(x.data(), x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!(std::fabs(logs[k]) < 700)) x[k] = math::exp(logs[k]);
}

}  // namespace

ContourSum::Sum ContourSum::sum(double epsilon) const {
  const auto [cosine, sine] = math::turn(-spacing_ * epsilon);
  double sums[3];
  default_fft_kernel().turned_sums(re_.data(), im_.data(), re_.size(), cosine, sine, sums);
  return {sums[0], spacing_ * sums[2] - contour_.tilt * sums[0]};
}

void ContourSum::deltas(std::span<const double> epsilons, std::span<ContourDelta> results) const {
  std::array<double, 3 * together> powers;
  for (std::size_t first = 0; first < epsilons.size(); first += together) {
    const std::size_t count = std::min(together, epsilons.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const double epsilon = epsilons[first + k];
      powers[3 * k] = log_moment_ - contour_.tilt * epsilon;  // proof: contour-rounding
      powers[3 * k + 1] = raised(log_higher_, contour_.higher * epsilon);
      powers[3 * k + 2] = raised(log_lower_, contour_.lower * epsilon);
    }
    const auto padded = std::span(powers).first((3 * count + 7) / 8 * 8);
    std::fill(padded.begin() + static_cast<std::ptrdiff_t>(3 * count), padded.end(), 0.0);
    exponentials(padded);
    for (std::size_t k = 0; k < count; ++k) results[first + k] = enclosed(epsilons[first + k], &powers[3 * k]);
  }
}

// `powers`: the moment and the bounds of the upper and the lower aliases, each times e^(-tilt epsilon) at its tilt.
ContourDelta ContourSum::enclosed(double epsilon, const double* powers) const {
  const double log_unit = log_moment_ - contour_.tilt * epsilon, summing = sum_roundings(re_.size()) * u;
  const double unit = powers[0] / contour_.period;
  // proof: contour-rounding
  const double off = log_moment_error_ + u * (4 * std::fabs(log_unit) + 1.01 * std::fabs(contour_.tilt * epsilon) + 16);
  const double grown = off < 1 ? off * (1 + off) : math::expm1(off);  // the true unit is at most 1 + grown times `unit`
  const double turning = u * (8 + 1.01 * spacing_ * std::fabs(epsilon));  // proof: contour-rounding
  ContourDelta result{};
  const Sum at = sum(epsilon);
  result.value = unit * at.value;
  result.slope = -at.slope / at.value;
  const double off_grid_steps = 1.01 * (rounding_ + turning * turning_ + 1.01 * summing * total_);
  // proof: contour-rounding
  result.rounding = 1.01 * (unit * off_grid_steps * (1 + grown) + std::fabs(result.value) * grown) + 1e-307;
  result.tail = unit * tail_ * (1 + grown) * (1 + 1e-6) + left_out_;  // proof: contour-tail, contour-cut
  result.alias = (powers[1] + powers[2]) * (1 + 1e-6);                // proof: contour-aliases
  return result;
}

// Newton's method within a bracket, which is halved if a step leaves it or the sum is not positive.
double ContourSum::solve(double delta, double start) const {
  double epsilon = start, low = 0, high = infinity;
  for (int i = 0; i < 40; ++i) {
    const auto [value, slope] = sum(epsilon);
    const double unit = math::exp(log_moment_ - contour_.tilt * epsilon) / contour_.period;
    (unit * value < delta ? high : low) = epsilon;
    double next = infinity;
    if (value > 0 && slope < 0) {
      const double step = math::log(unit * value / delta) * value / slope;
      next = epsilon - std::clamp(step, -0.5 * contour_.period, 0.5 * contour_.period);
      if (std::fabs(step) <= 1e-13 * (1 + std::fabs(epsilon))) return next;
    }
    epsilon = next > low && next < high ? next : low + (high - low) / 2;
    if (!(high - low > 1e-13 * (1 + low)) || std::isinf(epsilon)) break;
  }
  return std::isfinite(epsilon) ? epsilon : std::numeric_limits<double>::quiet_NaN();
}

double ContourSum::unit(double epsilon) const { return math::exp(log_moment_ - contour_.tilt * epsilon); }

Interval ContourSum::enclose(double delta, double epsilon, const ContourDelta& near) const {
  const double fall = near.slope;
  if (!(fall > 0) || !(epsilon > 0)) return {0, infinity};
  const double least = 4 * u * epsilon;
  const double above = 1.05 * (near.upper() / delta - 1) / fall + least;
  const double below = 1.05 * (1 - near.lower() / delta) / fall + least;
  // delta(epsilon) decreases, so that one bound on the right side of `delta` proves each end.
  Interval result{0, infinity};
  for (int i = 1; i <= 4 && result.upper == infinity; i *= 2)
    if (this->delta(epsilon + i * above).upper() <= delta) result.upper = std::max(0.0, epsilon + i * above);
  for (int i = 1; i <= 4 && result.lower == 0 && i * below < epsilon; i *= 2)
    if (this->delta(epsilon - i * below).lower() >= delta) result.lower = epsilon - i * below;
  return result;
}

}  // namespace hockeystick
