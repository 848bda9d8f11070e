// SPDX-License-Identifier: Apache-2.0
#include "forecast/rate_forecast.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/root.hpp"

namespace hockeystick {
namespace {

// Beyond this the rounding of tilt times loss shows in an answer.
constexpr double steepest = 1e9;

// e^(x^2/2) P(Z > x), x >= 0, about.
double scaled_tail(double x) { return 1 / (2 + 2.5 * x); }

// Of Q(L > mean), as the saddle point method has it, under the tilted law; tilt >= -1.
double log_rate(const Saddlepoint& saddlepoint, double tilt) {
  const Cumulants k = saddlepoint.cumulants(tilt);
  return k.value - (1 + tilt) * k.mean + std::log(scaled_tail((1 + tilt) * std::sqrt(k.variance)));
}

}  // namespace

Saddle saddle_for_fpr(const Saddlepoint& saddlepoint, double fpr) {
  const double goal = std::log(std::clamp(fpr, 1e-290, 0.9));
  const auto excess = [&](double tilt) { return log_rate(saddlepoint, tilt) - goal; };
  if (!(excess(0.0) > 0)) return saddlepoint.saddle(monotone_root(excess, 0.0, -1.0, 1e-3));
  return saddlepoint.saddle(monotone_root_from(excess, 0.0, 0.5 / saddlepoint.saddle(0).deviation, 40, 1e-3));
}

double interval_for_tail(const Saddlepoint& saddlepoint, const Saddle& at, double width) {
  const double deviation = saddlepoint.saddle(0).deviation;
  const double scale = 1 / (deviation * deviation);
  const double curvature = std::clamp(at.tilt * (1 + at.tilt), scale, 40 * scale);
  const double smooth = std::sqrt(0.5 * width * 8 / (saddlepoint.total_count() * curvature));
  return std::min(smooth, deviation / 4);
}

namespace {

// The tilt at which Q(L <= mean) is about 1 - fpr, for fpr > 1/2: at most -1.
double tilt_for_miss(const Saddlepoint& saddlepoint, double fpr) {
  const double goal = std::log(std::max(1 - fpr, 1e-16));
  const auto excess = [&](double tilt) {
    const Cumulants k = saddlepoint.cumulants(tilt);
    return k.value - (1 + tilt) * k.mean + std::log(scaled_tail(-(1 + tilt) * std::sqrt(k.variance))) - goal;
  };
  const double step = 0.5 / saddlepoint.saddle(0).deviation;
  return monotone_root_from(excess, -1.0, -step, 40, 1e-2);
}

}  // namespace

double interval_for_power(const Saddlepoint& saddlepoint, double smallest, double largest, double width) {
  const double deviation = saddlepoint.saddle(0).deviation;
  double tilt = 1 / deviation;
  if (smallest < 0.5) tilt = std::max(tilt, saddle_for_fpr(saddlepoint, smallest).tilt);
  if (largest > 0.5) tilt = std::max(tilt, -tilt_for_miss(saddlepoint, largest));
  tilt = std::min(tilt, 40 / deviation);
  return std::min(std::sqrt(4 * width / (saddlepoint.total_count() * tilt)), deviation / 4);
}

double tilt_for_fpr(const Saddlepoint& saddlepoint, double fpr) {
  const double deviations = std::sqrt(-2 * std::log(std::max(fpr, 1e-300)));  // if the loss were normal
  const Saddle at = saddle_for_fpr(saddlepoint, fpr);
  return std::clamp(at.tilt, 0.0,
                    std::min(deviations / saddlepoint.saddle(0).deviation, steepest / std::fabs(at.epsilon)));
}

}  // namespace hockeystick
