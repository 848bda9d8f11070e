// SPDX-License-Identifier: Apache-2.0
#include "methods/fft_composition.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "discretize/connect_dots.hpp"
#include "discretize/tangent_hull.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/workspace.hpp"
#include "numeric/union_probability.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {

DiscretizedSteps discretized(const Direction& direction, const Plan& plan) {
  DiscretizedSteps steps;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const DominatingPair& pair = *direction[j].pair;
    const SupportCells halves = cut_midway(pair, plan.supports[j].build());
    steps.upper.push_back(connect_dots(halves));
    steps.lower.push_back(tangent_hull(cut_again(pair, halves, tangent_points(halves))));
  }
  return steps;
}

namespace {

std::pair<CurveTable, CurveTable> composed(const Direction& direction, const Plan& plan) {
  // The tables that it leaves are charged where they are made.
  const Held room(plan.bytes - 2 * CurveTable::bytes(static_cast<double>(plan.window.size)));
  const auto fft = shared_fft(plan.fft_size);
  const auto [upper, lower] = discretized(direction, plan);
  Workspace circle(plan.fft_size);
  const auto side = [&](const std::vector<StepPmf>& steps) {
    std::vector<ComposedTerm> terms;
    for (std::size_t j = 0; j < direction.size(); ++j)
      terms.push_back({tilted(steps[j], plan.tilt, plan.log_moments[j]), direction[j].count});
    return CurveTable(compose(terms, *fft, plan.window, plan.chernoff, circle.doubles()));
  };
  CurveTable above = side(upper);
  return {std::move(above), side(lower)};
}

}  // namespace

FftComposition::FftComposition(const Direction& direction, const Plan& plan, const Saddle& at)
    : FftComposition(composed(direction, plan), plan, at) {}

FftComposition::FftComposition(std::pair<CurveTable, CurveTable>&& sides, const Plan& plan, const Saddle& at)
    : interval_(plan.interval),
      tilt_(plan.tilt),
      slope_(at.slope),
      size_(plan.fft_size),
      upper_(std::move(sides.first)),
      lower_(std::move(sides.second)) {}

Answer FftComposition::answer(bool wants_epsilon, double value) const {
  Answer result;
  double epsilon = value;
  if (wants_epsilon) {
    result.upper = epsilon = upper_.epsilon(value);
    result.lower = lower_.epsilon(value);
    if (!std::isfinite(epsilon)) epsilon = std::isfinite(result.lower) ? result.lower : 0;
  }
  const CertifiedDelta high = upper_.delta(epsilon), low = lower_.delta(epsilon);
  if (!wants_epsilon) result.upper = high.value, result.lower = low.value;
  result.truncation = std::max(0.0, high.truncation - lower_.pmf().infinity_mass);
  result.wraparound = low.wraparound;
  result.rounding =
      high.rounding + low.rounding + (upper_.pmf().loss_error + lower_.pmf().loss_error) * slope_ * high.value;
  result.discretization =
      std::max(0.0, high.value - low.value - result.truncation - result.wraparound - result.rounding);
  result.interval = interval_;
  result.size = size_;
  result.tilt = tilt_;
  result.method = "fft_composition";
  return result;
}

double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon,
                      double coarse) {
  if (!(at.tilt > 0)) return infinity;
  const Plan plan =
      make_plan(direction, saddlepoint, {at, coarse, forecast_interval(saddlepoint, at, coarse), 1e-3, false});
  ChernoffMoment moment{plan.tilt};
  double loss_error = 0;
  UnionProbability infinite;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const double bytes = plan.supports[j].bytes_discretized();
    if (plan.supports[j].points() > 1e5 || bytes > Budget::left()) return infinity;
    const Held room(bytes);
    const StepPmf step = connect_dots(cut_midway(*direction[j].pair, plan.supports[j].build()));
    const auto count = static_cast<double>(direction[j].count);
    const TiltedStep at_tilt = tilted(step, plan.tilt, plan.log_moments[j]);
    moment.add(count, at_tilt.log_moment, log_moment_above(at_tilt, 0));
    infinite.add(0, step.infinity_mass, count);
    loss_error += count * step.loss_error;
  }
  // proof: underflow-delta
  const double finite = std::exp(moment.log_above(epsilon, loss_error)) * (1 + 1e-12) + 1e-307;
  return (finite + infinite.upper()) * (1 + 2 * unit_roundoff);
}

}  // namespace hockeystick
