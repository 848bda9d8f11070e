// SPDX-License-Identifier: Apache-2.0
#include "plan/grid_interval.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "plan/lattice_grid.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

double interval_for(double count, double variance, double deviation) {
  return std::min(std::sqrt(4 * variance / count), deviation / 4);
}

double interval_for_delta(double count, const Saddle& at, double log_tolerance, bool has_atoms) {
  if (at.regular) {
    const double variance = 2 * 0.55 * log_tolerance / at.curvature;
    return std::min(interval_for(count, variance, at.deviation),
                    0.25 / std::max(at.tilt, 1e-3));  // a wider one cannot resolve that tilt
  }
  // Atoms may have an error of first order. For other losses e^K grows by tilt (1 + tilt) / 2 times the variance.
  const double first_order = std::max(at.epsilon, at.deviation / 4) / (has_atoms ? 256 : 32);
  const double tilt = std::min(at.tilt, 0.5 / first_order);  // a plan takes no steeper one
  const double variance = log_tolerance / std::max(tilt * (1 + tilt), 1e-300);
  return interval_for(count, variance, 4 * first_order);
}

}  // namespace

double interval_for_delta(const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance) {
  constexpr double most = 8;  // factor by which atoms that lie on the grid may widen the interval
  const double total = saddlepoint.total_count(),
               interval = interval_for_delta(total, at, log_tolerance, saddlepoint.has_atoms());
  const double spread = 1.25 * saddlepoint.spread_count(at.tilt, most * interval);
  return interval_for_delta(std::clamp(spread, total / (most * most), total), at, log_tolerance,
                            saddlepoint.has_atoms());
}

bool can_close(const Direction& direction) {
  return std::all_of(direction.begin(), direction.end(), [](const Term& term) {
    return std::isfinite(term.pair->loss_infimum()) && term.pair->atom_sketch().at.empty();
  });
}

double interval_for_moment(const Saddlepoint& saddlepoint, double tilt, double log_tolerance) {
  const double variance = log_tolerance / (tilt * (1 + tilt));
  return std::min(interval_for(saddlepoint.total_count(), variance, saddlepoint.deviation()), 0.25 / tilt);
}

double first_interval(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at,
                      double log_tolerance, double log_margin) {
  double interval = interval_for_delta(saddlepoint, at, log_tolerance);
  // The lower estimate cuts cells half way, also next to the least loss, which 1.5 did not count: of 60 sampled
  // Gaussians 50 took one transform with 1.5, and 55 with this.
  constexpr double of_moving = 4.5;
  if (can_close(direction))
    for (int i = 0; i < 3; ++i)
      interval = interval_for_delta(of_moving * saddlepoint.moving_count(at.tilt, interval), at, log_tolerance, false);
  if (log_margin > 0) {
    const double far = math::exp(std::max(at.log_delta - log_margin, -690.0));
    const double finer = interval_for_delta(saddlepoint, saddlepoint.saddle_for_delta(far), log_tolerance);
    interval = 0.85 * std::min(interval, finer);
  }
  const double off_grid =
      choose_lattice_grid(direction, saddlepoint, {std::max(0.0, at.tilt), interval, 0, false}).off_grid_steps;
  if (off_grid > 0) {
    const double slope = at.regular ? at.slope : at.tilt + 1 / std::max(at.epsilon, at.deviation);
    interval = std::min(interval, log_tolerance / (slope * off_grid));
  }
  // A forecast that underflows must not make it 0. A finer grid would not fit into memory.
  return std::max(interval, 1e-12 * std::max(at.deviation, at.epsilon));
}

}  // namespace hockeystick
