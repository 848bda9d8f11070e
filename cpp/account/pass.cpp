// SPDX-License-Identifier: Apache-2.0
#include "account/pass.hpp"

#include <cmath>
#include <limits>

#include "account/chernoff.hpp"
#include "discretize/connect_dots_lower.hpp"
#include "discretize/connect_dots_upper.hpp"
#include "numeric/fft_cache.hpp"
#include "numeric/rounding.hpp"
#include "numeric/workspace.hpp"

namespace hockeystick {

DiscretizedSteps discretized(const Direction& direction, const Plan& plan) {
  DiscretizedSteps steps;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const DominatingPair& pair = *direction[j].pair;
    const SupportCells halves = cut_midway(pair, plan.supports[j].build());
    steps.upper.push_back(connect_dots_upper(halves));
    steps.lower.push_back(connect_dots_lower(cut_again(pair, halves, balanced_cuts(halves))));
  }
  return steps;
}

Pass run_pass(const Direction& direction, const Plan& plan) {
  const auto fft = shared_fft(plan.fft_size);
  const auto [upper, lower] = discretized(direction, plan);
  const std::vector<StepPmf>* steps[2] = {&upper, &lower};
  LossPmf composed[2];
  Workspace circle(plan.fft_size);
  for (int side = 0; side < 2; ++side) {
    std::vector<ComposedTerm> terms;
    for (std::size_t j = 0; j < direction.size(); ++j)
      terms.push_back({tilted((*steps[side])[j], plan.tilt, plan.log_moments[j]), direction[j].count});
    composed[side] = compose(terms, *fft, plan.window, plan.chernoff, circle.doubles());
  }
  return {std::move(composed[0]), std::move(composed[1])};
}

double chernoff_delta(const Direction& direction, const Pilot& pilot, double epsilon, double coarse) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Saddle at = pilot.saddle_for_epsilon(epsilon);
  if (!(at.tilt > 0)) return infinity;
  const Plan plan = make_plan(direction, pilot, {at, coarse, forecast_interval(pilot, at, coarse), 1e-3, false});
  double log_bound = 0, infinity_mass = 0, loss_error = 0;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    if (plan.supports[j].points() > 1e5) return infinity;
    const StepPmf step = connect_dots_upper(cut_midway(*direction[j].pair, plan.supports[j].build()));
    const auto count = static_cast<double>(direction[j].count);
    log_bound += count * (plan.log_moments[j] + log_moment_above(tilted(step, plan.tilt, plan.log_moments[j]), 0));
    infinity_mass += count * step.infinity_mass;
    loss_error += count * step.loss_error;
  }
  const double t = plan.tilt;
  const double size = std::fabs(log_bound) + t * epsilon + 1;
  log_bound += log_chernoff_peak(t) - t * (epsilon - 1.01 * loss_error) + 64 * unit_roundoff * size;
  return std::exp(log_bound) * (1 + 1e-12) + 1.01 * infinity_mass;
}

}  // namespace hockeystick
