// SPDX-License-Identifier: Apache-2.0
#include "account/contour_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

// log max_y e^(-t y) (1 - e^-y) = t log t - (1 + t) log(1 + t); 0 at t = 0.
double log_peak(double t) { return t > 0 ? t * std::log(t / (1 + t)) - std::log1p(t) : 0; }

// log of the composition's moment at a real tilt.
Enclosed log_moment(const Direction& direction, const Lines& lines, double tilt) {
  double value = 0, error = 0, size = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const auto count = static_cast<double>(direction[j].count);
    const Enclosed step = lines[j]->log_moment(tilt);
    value += count * step.value;
    error += count * step.error;
    size += count * std::fabs(step.value);
  }
  return {value, 1.01 * error + u * size * (3 + static_cast<double>(direction.size()))};
}

// log sum over j >= 1 of a bound that falls by e^-fall from each j to the next.
double log_geometric(double first, double fall) { return fall > 0 ? first - std::log(-std::expm1(-fall)) : infinity; }

std::complex<double> power(std::complex<double> base, std::int64_t count) {
  double re = 1, im = 0, x = base.real(), y = base.imag();
  for (;; count >>= 1) {
    if (count & 1) {
      const double next = re * x - im * y;
      im = re * y + im * x;
      re = next;
    }
    if (count <= 1) return {re, im};
    const double next = (x - y) * (x + y);
    y = 2 * x * y;
    x = next;
  }
}

// How far the power of a sample may be off: relatively, and absolutely where the sample is all but lost in its error.
struct PowerError {
  double relative;  // infinity: use `largest`
  double log_largest;
};

PowerError power_error(const MomentSample& sample, double modulus, double count) {
  const double off = sample.rounding + sample.truncation + 1e-300;
  const double relative = count * (off / modulus + 4 * u);
  return {relative, count * (std::log(modulus + off) + 4 * u)};
}

}  // namespace

double log_chernoff_bound(const Direction& direction, const Lines& lines, double tilt, double epsilon) {
  const auto [value, error] = log_moment(direction, lines, tilt);
  const double peak = log_peak(tilt);
  const double size = std::fabs(value) + tilt * std::fabs(epsilon) + std::fabs(peak) + 1;
  return value - tilt * epsilon + peak + error + 32 * u * size;
}

ContourSum::ContourSum(const Direction& direction, const Lines& lines, const Contour& contour)
    : contour_(contour), spacing_(2 * std::numbers::pi / contour.period) {
  const auto [value, error] = log_moment(direction, lines, contour.tilt);
  log_moment_ = value;
  log_moment_error_ = error;
  // k > 0: e^(c k p) delta(eps + k p) <= e^(B(higher) - (higher - c) k p), B the Chernoff bound at eps; k < 0 likewise.
  const double rise = contour.higher - contour.tilt, fall = contour.tilt - contour.lower;
  log_higher_ = log_geometric(log_chernoff_bound(direction, lines, contour.higher, 0) - rise * contour.period,
                              rise * contour.period * (1 - 1e-9));
  log_lower_ = log_geometric(log_chernoff_bound(direction, lines, contour.lower, 0) - fall * contour.period,
                             fall * contour.period * (1 - 1e-9));
  take_samples(direction, lines);
}

void ContourSum::take_samples(const Direction& direction, const Lines& lines) {
  const std::size_t count = contour_.count;
  weights_.assign(count, 1.0);
  std::vector<double> relative(count, 0.0), log_largest(count, 0.0);
  double log_beyond = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const auto times = static_cast<double>(direction[j].count);
    const std::vector<MomentSample> samples = lines[j]->samples(spacing_, count);
    for (std::size_t k = 1; k < count; ++k) {
      const std::complex<double> ratio{samples[k].re, samples[k].im};
      const PowerError error = power_error(samples[k], std::hypot(samples[k].re, samples[k].im), times);
      relative[k] += error.relative;
      log_largest[k] += error.log_largest;
      weights_[k] *= power(ratio, direction[j].count);
    }
    log_beyond += times * std::log(std::max(lines[j]->modulus_bound(spacing_ * static_cast<double>(count)), 1e-300));
  }
  const double dividing = u * (24 + 4 * static_cast<double>(direction.size()));
  for (std::size_t k = 0; k < count; ++k) {
    const std::complex<double> z{contour_.tilt, spacing_ * static_cast<double>(k)};
    const std::complex<double> kernel = z * (z + 1.0);
    weights_[k] /= kernel;
    const double size = std::abs(weights_[k]), twice = k == 0 ? 1 : 2;
    // |(R + e)^n - R^n| <= |R|^n (e^(n e / |R|) - 1), and both are at most (|R| + e)^n.
    rounding_ += twice * (relative[k] < 1 ? size * (std::expm1(relative[k]) + dividing)
                                          : 2.01 * std::exp(log_largest[k]) / std::abs(kernel));
    turning_ += twice * size * static_cast<double>(k);
    weights_[k] *= twice;
  }
  // sum over k >= count of |M|^n / (k h)^2 <= |M|^n / (h^2 (count - 1)), twice for both signs of k.
  tail_ = 2.01 * std::exp(log_beyond) / (spacing_ * spacing_ * static_cast<double>(count - 1));
}

ContourSum::Sum ContourSum::sum(double epsilon) const {
  const double angle = -spacing_ * epsilon;
  const std::complex<double> turn{std::cos(angle), std::sin(angle)};
  std::complex<double> phase = 1.0;
  double value = 0, along = 0;
  for (std::size_t k = 0; k < weights_.size(); ++k) {
    const double re = weights_[k].real() * phase.real() - weights_[k].imag() * phase.imag();
    const double im = weights_[k].real() * phase.imag() + weights_[k].imag() * phase.real();
    value += re;
    along += im * static_cast<double>(k);
    phase = {phase.real() * turn.real() - phase.imag() * turn.imag(),
             phase.real() * turn.imag() + phase.imag() * turn.real()};
  }
  return {value, spacing_ * along - contour_.tilt * value};
}

ContourDelta ContourSum::delta(double epsilon) const {
  const double log_unit = log_moment_ - contour_.tilt * epsilon;
  const double unit = std::exp(log_unit) / contour_.period;
  const double off = log_moment_error_ + u * (4 * std::fabs(log_unit) + 4 * contour_.tilt * std::fabs(epsilon) + 16);
  const double turning = u * (8 + 2 * spacing_ * std::fabs(epsilon));
  ContourDelta result{};
  result.value = unit * sum(epsilon).value;
  const double summing = static_cast<double>(weights_.size()) * u * 1.01;
  double total = 0;
  for (const auto& weight : weights_) total += std::abs(weight);
  const double loose = 1.01 * (rounding_ + turning * turning_ + summing * total);
  result.rounding = 1.01 * (unit * loose + std::fabs(result.value) * std::expm1(off)) + 1e-307;
  result.tail = unit * tail_ * (1 + 1e-6);
  result.alias = (std::exp(log_higher_ - contour_.higher * epsilon) + std::exp(log_lower_ - contour_.lower * epsilon)) *
                 (1 + 1e-6);
  return result;
}

double ContourSum::solve(double delta, double start) const {
  double epsilon = start;
  for (int i = 0; i < 12; ++i) {
    const auto [value, slope] = sum(epsilon);
    const double unit = std::exp(log_moment_ - contour_.tilt * epsilon) / contour_.period;
    if (!(value > 0) || !(slope < 0)) return std::numeric_limits<double>::quiet_NaN();
    const double step = std::log(unit * value / delta) * value / slope;
    epsilon -= std::clamp(step, -0.5 * contour_.period, 0.5 * contour_.period);
    if (std::fabs(step) <= 1e-13 * (1 + std::fabs(epsilon))) break;
  }
  return epsilon;
}

double ContourSum::slope(double epsilon) const {
  const Sum at = sum(epsilon);
  return -at.slope / at.value;
}

CertifiedInterval ContourSum::enclose(double delta, double epsilon) const {
  const double fall = slope(epsilon);
  if (!(fall > 0) || !(epsilon > 0)) return {0, infinity};
  const ContourDelta near = this->delta(epsilon);
  const double least = 4 * u * epsilon;
  const double above = 1.05 * (near.upper() / delta - 1) / fall + least;
  const double below = 1.05 * (1 - near.lower() / delta) / fall + least;
  // delta(epsilon) falls, so that a bound on the right side of `delta` settles each end.
  CertifiedInterval result{0, infinity};
  for (int i = 1; i <= 4 && result.upper == infinity; i *= 2)
    if (this->delta(epsilon + i * above).upper() <= delta) result.upper = epsilon + i * above;
  for (int i = 1; i <= 4 && result.lower == 0 && i * below < epsilon; i *= 2)
    if (this->delta(epsilon - i * below).lower() >= delta) result.lower = epsilon - i * below;
  return result;
}

}  // namespace hockeystick
