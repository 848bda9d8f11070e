// SPDX-License-Identifier: Apache-2.0
#include "plan/transform_plan.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "plan/cost.hpp"
#include "plan/grid_interval.hpp"
#include "plan/lattice_grid.hpp"

namespace hockeystick {

double forecast_transform_cost(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& saddle,
                               double log_tolerance) {
  const double interval = interval_for_delta(saddlepoint, saddle, log_tolerance);
  const double size = std::max(64.0, tuning::circle_deviations * saddle.deviation / interval);
  const auto terms = static_cast<double>(saddlepoint.terms());
  double work = 0;
  for (const Term& term : direction) work += term.pair->atom_sketch().edge_work;
  return cost::transform(terms, work * std::min(size, tuning::smooth_points), size);
}

Plan make_plan(const Direction& direction, const Saddlepoint& saddlepoint, const Target& target) {
  const Saddle& at = target.saddle;
  Plan plan{};
  const double span = std::fabs(at.epsilon) + 20 * at.deviation;
  const LatticeGrid grid =
      choose_lattice_grid(direction, saddlepoint, {std::max(0.0, at.tilt), target.interval, span, target.from_below});
  plan.closing = target.closing;
  const double d = plan.interval = grid.interval;
  plan.off_grid_steps = grid.off_grid_steps;
  const double limit = grid.steepest_tilt();
  plan.tilt = std::clamp(at.tilt, 0.0, limit);
  const double log_cut = math::log(target.cut);
  double shift = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) shift += saddlepoint.count(j) * grid.offsets[j];
  const bool is_rough = plan.closing.top < infinity;
  const WindowForecast window = question_window(saddlepoint, at, plan.tilt, {d, shift, limit}, target.cut, is_rough);

  const double terms = static_cast<double>(saddlepoint.terms());
  double moving = can_close(direction) ? saddlepoint.moving_count(plan.tilt, d) / saddlepoint.total_count() : 1;
  // If about one large loss determines delta, it may be any loss: the error of its grid counts once, not once a step.
  const double least = is_rough ? 1 / saddlepoint.total_count() : 0;
  double before = 0, work = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const AtomSketch atoms = direction[j].pair->atom_sketch();
    before += cost::term_of(atoms.all ? static_cast<double>(atoms.at.size()) : 0);
    plan.log_moments.push_back(saddlepoint.log_moment(j, plan.tilt));
    const double log_steps = math::log(saddlepoint.count(j) * terms);
    const SupportNeeds needs{plan.tilt,
                             plan.log_moments.back(),
                             std::max(log_cut + at.log_delta - log_steps, -703.0),
                             log_cut - log_steps,
                             0.25 / (1 + plan.tilt),
                             grid.offsets[j],
                             target.closing.top,
                             moving,
                             least};
    plan.supports.push_back(plan_nonuniform_grid(*direction[j].pair, saddlepoint, j, needs, d));
    plan.points += plan.supports.back().points();
    work += atoms.edge_work * plan.supports.back().points();
    plan.step_bytes += plan.supports.back().bytes_discretized();
  }
  plan.cost = cost::transform(terms, work, window.length(), before);
  plan.bytes = window.bytes(2) + plan.step_bytes;
  if (!window.is_feasible()) return plan;
  plan.fft_size = window.fft_size();
  plan.window = window.window();
  plan.chernoff = window.chernoff;
  return plan;
}

}  // namespace hockeystick
