// SPDX-License-Identifier: Apache-2.0
#include "account/rate_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/root.hpp"

namespace hockeystick {

Saddle saddle_for_fpr(const Pilot& pilot, double fpr) {
  const double goal = std::log(std::clamp(fpr, 1e-290, 0.9));
  const auto excess = [&](double tilt) {
    const Saddle at = pilot.saddle(tilt);
    return at.log_delta + std::log(at.slope) - at.epsilon - goal;
  };
  const double step = 0.5 / pilot.saddle(0).deviation;
  const bool above = excess(0.0) > 0;
  return pilot.saddle(monotone_root_from(excess, 0.0, above ? step : -step, above ? 40 : 3, 1e-3));
}

double interval_for_tail(const Pilot& pilot, const Saddle& at, double width) {
  const double deviation = pilot.saddle(0).deviation;
  const double scale = 1 / (deviation * deviation);
  const double curvature = std::clamp(at.tilt * (1 + at.tilt), scale, 40 * scale);
  const double smooth = std::sqrt(0.5 * width * 8 / (pilot.total_count() * curvature));
  return std::min(smooth, deviation / 4);
}

namespace {

// The tilt at which Q(L <= mean) is about 1 - fpr, for fpr > 1/2: at most -1.
double tilt_for_miss(const Pilot& pilot, double fpr) {
  const double goal = std::log(std::max(1 - fpr, 1e-16));
  const auto excess = [&](double tilt) {
    const Cumulants k = pilot.cumulants(tilt);
    const double size = -(1 + tilt) * std::sqrt(k.variance);  // e^(x^2/2) P(Z > x) is about 1 / (2 + 2.5 x)
    return k.value - (1 + tilt) * k.mean - std::log(2 + 2.5 * size) - goal;
  };
  const double step = 0.5 / pilot.saddle(0).deviation;
  return monotone_root_from(excess, -1.0, -step, 40, 1e-2);
}

}  // namespace

double interval_for_power(const Pilot& pilot, double smallest, double largest, double width) {
  const double deviation = pilot.saddle(0).deviation;
  double tilt = 1 / deviation;
  if (smallest < 0.5) tilt = std::max(tilt, saddle_for_fpr(pilot, smallest).tilt);
  if (largest > 0.5) tilt = std::max(tilt, -tilt_for_miss(pilot, largest));
  tilt = std::min(tilt, 40 / deviation);
  return std::min(std::sqrt(4 * width / (pilot.total_count() * tilt)), deviation / 4);
}

double tilt_for_fpr(const Pilot& pilot, double fpr) {
  const double deviations = std::sqrt(-2 * std::log(std::max(fpr, 1e-300)));  // if the loss were normal
  return std::clamp(saddle_for_fpr(pilot, fpr).tilt, 0.0, deviations / pilot.saddle(0).deviation);
}

}  // namespace hockeystick
