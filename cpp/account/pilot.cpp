// SPDX-License-Identifier: Apache-2.0
#include "account/pilot.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/root.hpp"

namespace hockeystick {
namespace {

constexpr double sqrt_two_pi = 2.5066282746310002;

// e^(x^2/2) P(Z > x), to about 1e-4: a forecast needs no more.
double scaled_tail(double x) {
  if (x > 8) {
    const double s = 1 / (x * x);
    return (1 - s * (1 - 3 * s * (1 - 5 * s))) / (x * sqrt_two_pi);
  }
  return 0.5 * std::exp(x * x / 2) * std::erfc(x * 0.70710678118654752);
}

}  // namespace

Pilot::Pilot(const Direction& direction) {
  for (const Term& term : direction) {
    nodes_.push_back(term.pair->nodes());
    counts_.push_back(static_cast<double>(term.count));
    log_total_.push_back(0);
    log_total_.back() = step_cumulants(nodes_.size() - 1, 0).value;
    total_count_ += counts_.back();
  }
  deviation_ = std::sqrt(cumulants(0).variance);
}

Cumulants Pilot::step_cumulants(std::size_t term, double tilt) const {
  const LossNodes& nodes = nodes_[term];
  double largest = -1e300;
  for (std::size_t k = 0; k < nodes.loss.size(); ++k)
    largest = std::max(largest, nodes.log_mass[k] + tilt * nodes.loss[k]);
  double sum = 0, first = 0, second = 0;
  for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
    const double argument = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
    if (argument < -45) continue;
    const double mass = std::exp(argument);
    sum += mass;
    first += mass * nodes.loss[k];
    second += mass * nodes.loss[k] * nodes.loss[k];
  }
  const double mean = first / sum;
  double variance = second / sum - mean * mean;
  if (!(variance > 1e-12 * mean * mean)) {  // the mean swamps it: sum squares about the mean
    variance = 0;
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double argument = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
      if (argument < -45) continue;
      const double away = nodes.loss[k] - mean;
      variance += std::exp(argument) * away * away / sum;
    }
  }
  return {largest + std::log(sum) - log_total_[term], mean, variance};
}

Cumulants Pilot::cumulants(double tilt) const {
  Cumulants total{0, 0, 0};
  for (std::size_t j = 0; j < nodes_.size(); ++j) {
    const Cumulants step = step_cumulants(j, tilt);
    total.value += counts_[j] * step.value;
    total.mean += counts_[j] * step.mean;
    total.variance += counts_[j] * step.variance;
  }
  return total;
}

double Pilot::log_moment(std::size_t term, double tilt) const {
  return step_cumulants(term, tilt).value;
}

Saddle Pilot::saddle(double tilt) const {
  const Cumulants k = cumulants(tilt);
  const double s = std::sqrt(k.variance);
  const double p = scaled_tail(tilt * s), q = scaled_tail((1 + tilt) * s);
  const double factor = std::max(p - q, 1e-300);
  return {tilt,
          k.mean,
          s,
          k.value - tilt * k.mean + std::log(factor),
          factor,
          q / factor,
          1 / (sqrt_two_pi * s * factor)};
}

Saddle Pilot::saddle_for_delta(double delta) const {
  const double goal = std::log(delta);
  const auto excess = [&](double tilt) { return saddle(tilt).log_delta - goal; };
  // The deviation falls short of 7 on the low side, where delta is near 1.
  const double start = excess(0.0);
  const double step = 0.5 / deviation_;
  if (start > 0) return saddle(monotone_root_from(excess, 0.0, step, 1e-4));
  const double lowest = -7.0 / deviation_;
  if (excess(lowest) < 0) return saddle(lowest);
  return saddle(monotone_root(excess, lowest, 0.0, 1e-4));
}

Saddle Pilot::saddle_for_epsilon(double epsilon) const {
  const auto excess = [&](double tilt) { return cumulants(tilt).mean - epsilon; };
  const double start = excess(0.0);
  const double step = 0.5 / deviation_;
  return saddle(monotone_root_from(excess, 0.0, start < 0 ? step : -step, 1e-4));
}

Pilot::Reach Pilot::reach(double tilt, double log_reciprocal, int direction) const {
  const double base = cumulants(tilt).value;
  // log of Chernoff's bound at its best point mean(psi): K(psi) - K(tilt) - (psi - tilt) mean(psi).
  const auto excess = [&](double psi) {
    const Cumulants k = cumulants(psi);
    return k.value - base - (psi - tilt) * k.mean + log_reciprocal;
  };
  const double deviation = std::sqrt(cumulants(tilt).variance);
  const double psi =
      monotone_root_from(excess, tilt, direction * std::sqrt(2 * log_reciprocal) / deviation, 1e-3);
  const Cumulants k = cumulants(psi);
  return {psi, (k.value - base + log_reciprocal) / (psi - tilt)};
}

}  // namespace hockeystick
