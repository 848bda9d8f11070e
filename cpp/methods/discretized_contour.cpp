// SPDX-License-Identifier: Apache-2.0
#include "methods/discretized_contour.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "forecast/contour_plan.hpp"
#include "forecast/cost.hpp"
#include "methods/fft_composition.hpp"
#include "methods/step_mgf_line.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "pld/compose.hpp"

namespace hockeystick {
namespace {

constexpr double share = 0.02;  // of the relative width of delta, for tail and aliases
constexpr double most_samples = 1e5;

// Samples after which the tail is e^log_share of delta.
double samples_needed(const Smoothing& smoothing, const Contour& contour, double log_tail) {
  const double spacing = 2 * std::numbers::pi / contour.period;
  for (double count = 64; count < most_samples; count = std::ceil(1.1 * count)) {
    const double from = spacing * count;
    const double tail = 2 * smoothing.bound(contour.tilt, from) / ((smoothing.order(from) + 1) * spacing * from);
    if (std::log(tail) < log_tail) return count;
  }
  return infinity;
}

}  // namespace

DiscretizedContour::DiscretizedContour(const Direction& direction, const Saddlepoint& saddlepoint, const Plan& plan,
                                       const Saddle& at, double log_tolerance, double budget) {
  const double log_share = std::log(share * log_tolerance);
  Saddle right = at;
  right.tilt = std::max(at.tilt, 1 / at.deviation);
  contour_ = contour_frame(saddlepoint, right, log_share);
  const double curvature = at.regular ? at.curvature : contour_.tilt * (1 + contour_.tilt);
  radius_ = std::sqrt(0.125 * log_tolerance / curvature);
  const double scale = saddlepoint.cumulants(contour_.tilt).value - contour_.tilt * at.epsilon;
  const double log_sum = at.log_delta - scale + std::log(contour_.period);
  const double count = samples_needed(Smoothing(Smoothing::Side::lower, radius_), contour_, log_share + log_sum);
  cost_ = cost::discretized_contour(2 * count, plan.points);
  if (!(contour_.period > 0) || !(cost_ < budget)) return;
  contour_.count = static_cast<std::size_t>(count);
  room_ = Held(plan.step_bytes + cost::contour_sample_bytes * count);
  auto [above, below] = discretized(direction, plan);
  add(direction, saddlepoint, std::move(above), upper_);
  add(direction, saddlepoint, std::move(below), lower_);
}

void DiscretizedContour::add(const Direction& direction, const Saddlepoint& saddlepoint, std::vector<StepPmf> steps,
                             std::optional<Side>& to) const {
  to.emplace(Side{std::move(steps), 0, 0, {}});
  std::vector<ComposedTerm> terms;
  Lines lines;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    terms.push_back(
        {tilted(to->steps[j], contour_.tilt, saddlepoint.log_moment(j, contour_.tilt)), direction[j].count});
    lines.push_back(std::make_unique<StepMgfLine>(terms.back().step));
  }
  to->infinity_mass = composed_infinity_mass(terms);   // proof: infinity-mass
  to->loss_error = 1.01 * composed_loss_error(terms);  // proof: loss-coupling
  const bool above = to->steps.front().side == hockeystick::Side::upper;
  const Smoothing smoothing(above ? Smoothing::Side::upper : Smoothing::Side::lower, radius_);
  to->sum.emplace(direction, lines, contour_, smoothing);
}

Interval DiscretizedContour::delta(double epsilon) const {
  const ContourDelta high = upper_->sum->delta(down(epsilon - upper_->loss_error));
  const ContourDelta low = lower_->sum->delta(up(epsilon + lower_->loss_error));
  return {std::max(0.0, low.lower() * (1 - 4 * u) + lower_->infinity_mass * (1 - 4 * u)),
          std::min(1.0, (high.upper() + upper_->infinity_mass) * (1 + 4 * u))};
}

Interval DiscretizedContour::epsilon(double delta, double start) const {
  Interval result{0, infinity};
  const double above = down(delta - upper_->infinity_mass * (1 + 4 * u));
  if (above > 0)
    result.upper = up(upper_->sum->enclose(above, upper_->sum->solve(above, start)).upper + upper_->loss_error);
  const double below = up(delta - lower_->infinity_mass * (1 - 4 * u));
  if (below > 0)
    result.lower = down(lower_->sum->enclose(below, lower_->sum->solve(below, start)).lower - lower_->loss_error);
  result.lower = std::max(0.0, result.lower);
  return result;
}

ContourDelta DiscretizedContour::losses(double epsilon) const {
  const ContourDelta high = upper_->sum->delta(epsilon), low = lower_->sum->delta(epsilon);
  return {high.value, high.rounding + low.rounding, high.tail + low.tail, low.alias};
}

}  // namespace hockeystick
