// SPDX-License-Identifier: Apache-2.0
#include "forecast/transform_plan.hpp"

#include <algorithm>
#include <cmath>

#include "forecast/cost.hpp"
#include "forecast/lattice_grid.hpp"
#include "numeric/fft/convolution.hpp"
#include "pld/chernoff.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

double forecast_transform_cost(const Saddlepoint& saddlepoint, const Saddle& saddle, double log_tolerance) {
  const double interval = forecast_interval(saddlepoint, saddle, log_tolerance);
  const double size = std::max(64.0, cost::circle_deviations * saddle.deviation / interval);
  const auto terms = static_cast<double>(saddlepoint.terms());
  return cost::transform(terms, terms * std::min(size, cost::smooth_points), size);
}

namespace {

double spread_interval(double count, const Saddle& saddle, double log_tolerance) {
  if (!saddle.regular) {
    // Atoms would cost an error of first order; for the rest e^(K) grows by tilt (1 + tilt) / 2
    // times the variance added.
    const double first_order = std::max(saddle.epsilon, saddle.deviation / 4) / 256;
    const double tilt = std::min(saddle.tilt, 0.5 / first_order);  // make_plan will not take more
    const double rate = count * tilt * (1 + tilt) / 8;
    return std::min(first_order, std::sqrt(0.5 * log_tolerance / std::max(rate, 1e-300)));
  }
  const double variance_allowed = 2 * 0.55 * log_tolerance / saddle.curvature;
  const double interval = std::sqrt(variance_allowed / (0.25 * count));
  return std::min({interval, saddle.deviation / 4, 0.25 / std::max(saddle.tilt, 1e-3)});  // for steeper tilts than it
}

}  // namespace

double forecast_interval(const Saddlepoint& saddlepoint, const Saddle& saddle, double log_tolerance) {
  constexpr double most = 8;  // how much wider atoms that stay where they are may make it
  const double interval = spread_interval(saddlepoint.total_count(), saddle, log_tolerance);
  const double total = saddlepoint.total_count(),
               spread = 1.25 * saddlepoint.spread_count(saddle.tilt, most * interval);
  return spread_interval(std::clamp(spread, total / (most * most), total), saddle, log_tolerance);
}

Frame make_frame(const Saddlepoint& saddlepoint, const Saddle& at, double tilt, double d, double shift, double limit,
                 double cut) {
  const Cumulants k = saddlepoint.cumulants(tilt);
  const double epsilon = std::max(0.0, at.epsilon);
  const double log_cut = std::log(cut);
  // Top of the window: P(S > hi) <= cut delta. Wrapping: its tilted mass at the worst weight is
  // cut delta at most.
  const auto top = saddlepoint.reach(0, std::max(1.0, -(log_cut + at.log_delta)), 1, limit);
  const double wrap = std::max(1.0, k.value - tilt * epsilon + log_chernoff_peak(tilt) - log_cut - at.log_delta);
  const auto from_above = saddlepoint.reach({tilt, k}, wrap, 1, limit);
  const auto from_below = saddlepoint.reach({tilt, k}, wrap, -1, limit);
  const double margin = std::sqrt(k.variance);
  const bool smooth = at.regular && d < 0.25 * margin;
  const double bottom = smooth ? std::max(epsilon - margin, -4 * d) : -4 * d;
  const double high = std::max(top.loss, epsilon + 4 * d);
  const double first = std::floor((bottom - shift) / d) - 2;
  Frame frame{};
  frame.period = std::max(high - from_below.loss, from_above.loss - bottom) / d + 16;
  frame.size = std::ceil((high - shift) / d) + 2 - first;
  if (std::max(frame.period, frame.size) <= 0x1p30)
    frame.window = {static_cast<std::int64_t>(first), static_cast<std::size_t>(frame.size)};
  frame.chernoff = {top.tilt - tilt, 0, from_above.tilt - tilt, from_below.tilt - tilt};
  return frame;
}

Plan make_plan(const Direction& direction, const Saddlepoint& saddlepoint, const Target& target) {
  const Saddle& at = target.saddle;
  Plan plan{};
  const double span = std::fabs(at.epsilon) + 20 * at.deviation;
  const LatticeGrid grid =
      choose_lattice_grid(direction, saddlepoint, {std::max(0.0, at.tilt), target.interval, span, target.from_below});
  const double d = plan.interval = grid.interval;
  plan.off_grid_steps = grid.off_grid_steps;
  const double limit = grid.steepest_tilt();
  plan.tilt = std::clamp(at.tilt, 0.0, limit);
  const double log_cut = std::log(target.cut);
  double shift = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) shift += saddlepoint.count(j) * grid.offsets[j];
  const Frame frame = make_frame(saddlepoint, at, plan.tilt, d, shift, limit, target.cut);

  const double terms = static_cast<double>(saddlepoint.terms());
  for (std::size_t j = 0; j < direction.size(); ++j) {
    plan.log_moments.push_back(saddlepoint.log_moment(j, plan.tilt));
    const double share = std::log(saddlepoint.count(j) * terms);
    const SupportNeeds needs{plan.tilt,       plan.log_moments.back(), std::max(log_cut + at.log_delta - share, -703.0),
                             log_cut - share, 0.25 / (1 + plan.tilt),  grid.offsets[j]};
    plan.supports.push_back(plan_nonuniform_grid(*direction[j].pair, saddlepoint.nodes(j), needs, d));
    plan.points += plan.supports.back().points();
    plan.step_bytes += plan.supports.back().bytes_discretized();
  }
  const double length = std::max(frame.period, frame.size);
  plan.cost = cost::transform(terms, plan.points, length);
  plan.bytes = length * cost::circle_point_bytes + plan.step_bytes;
  if (length > 0x1p30) return plan;  // no transform is that long, and no sane memory limit
  plan.fft_size = RealFft::good_size(static_cast<std::size_t>(std::max(length, 64.0)));
  plan.bytes = static_cast<double>(CyclicProduct::bytes(plan.fft_size) + RealFft::bytes(plan.fft_size)) +
               2.0 * 8.0 * static_cast<double>(plan.fft_size) + 2 * CurveTable::bytes(frame.size) + plan.step_bytes;
  plan.window = frame.window;
  plan.chernoff = frame.chernoff;
  return plan;
}

}  // namespace hockeystick
