// SPDX-License-Identifier: Apache-2.0
#include "curves/gaussian_dp.hpp"

#include <algorithm>
#include <cmath>

#include "curves/composed_pld.hpp"
#include "curves/gaussian_dp_of_curve.hpp"
#include "forecast/rate_forecast.hpp"
#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/rounding.hpp"
#include "pld/tradeoff.hpp"

namespace hockeystick {
namespace {

// Below this rate the transform is tilted, so that its precision is where the rates are.
constexpr double rare = 1e-5;

// A lower bound, from the rate at which the upper bound was attained.
double needed_below(const PldPair& enclosure, const CurveKinks& upper, const NeededMu& needed, double from) {
  return mu_needed_at(certified_kinks(enclosure.lower), needed.fpr, power_above(upper, needed.fpr), from);
}

// No loss is above the largest finite one but those of +inf: a kink that closes the upper curve.
void close(CurveKinks& upper, const Direction& direction) {
  // proof: gaussian-dp-upper
  const double largest = largest_finite_loss(direction), alpha = std::exp(largest) * (1 + 8 * u) + 1e-307;
  if (!std::isfinite(alpha)) return;
  while (!upper.loss.empty() && upper.loss.back() >= largest)
    upper.loss.pop_back(), upper.alpha.pop_back(), upper.value.pop_back();
  upper.loss.push_back(largest), upper.alpha.push_back(alpha);
  upper.value.push_back(infinity_mass(direction).upper());  // proof: gaussian-dp-upper
}

// Over rates in [from, to]; done as soon as the answer is no more than `known`.
Answer solve(const Direction& direction, double from, double to, double known, const Limits& limits) {
  const Saddlepoint saddlepoint(direction);
  const Saddle last = saddle_for_fpr(saddlepoint, from);
  // In the tail a change of mu moves the power by several times as much, relatively.
  const double width = 8 * limits.tolerance * std::min(1.0, saddlepoint.saddle(0).deviation);
  const double interval = interval_for_tail(saddlepoint, last, width);
  const double tilt = to < 0.5 ? std::min(tilt_for_fpr(saddlepoint, from), 0.5 / interval) : 0.0;
  Answer answer;
  answer.upper = infinity;
  const Refinement refinement{interval, 1e-4 * limits.tolerance * from, tilt};
  const Outcome outcome = refine(direction, refinement, limits, [&](const PldPair& enclosure) {
    CurveKinks upper = certified_kinks(enclosure.upper);
    close(upper, direction);
    const NeededMu needed = mu_needed(upper, from, to, limits.tolerance);
    answer.upper = std::min(answer.upper, needed.mu);
    answer.lower = std::max(answer.lower, needed_below(enclosure, upper, needed, from));
    answer.interval = enclosure.upper.interval;
    answer.size = enclosure.upper.mass.size();
    answer.tilt = enclosure.upper.tilt;
    answer.passes += 1;
    if (answer.upper <= known) return 0.0;
    return (answer.upper - std::max(known, answer.lower)) / (limits.tolerance * answer.upper);
  });
  answer.limited_by = outcome.limited_by;
  answer.required_bytes = outcome.required_bytes;
  answer.converged = outcome.limited_by.empty();
  return answer;
}

// The answer for more rates, given that for others: most often a coarse grid shows that these need no larger mu.
Answer with_rates(const Answer& known, const Direction& direction, double from, double to, const Limits& limits) {
  const Limits coarse{std::max(0.25, limits.tolerance), limits.memory_limit};
  if (known.lower > 0 && solve(direction, from, to, known.lower, coarse).upper <= known.lower) return known;
  return worse(known, solve(direction, from, to, known.lower, limits), limits.tolerance);
}

// The answer for one more direction, given that for others.
Answer with(const Answer& known, const Direction& direction, double rate, const Limits& limits) {
  const MergedDirection merged = merge_gaussians(direction);
  if (merged.terms.empty()) return known;
  Answer answer;
  if (merged.only_gaussian) {
    answer.lower = merged.mu * (1 - merged.mu_error - 2 * u);
    answer.upper = merged.mu * (1 + merged.mu_error + 2 * u);
    return worse(known, answer, limits.tolerance);
  }
  answer = rate < rare ? with_rates(known, merged.terms, rate, rare, limits) : known;
  return with_rates(answer, merged.terms, std::max(rate, rare), 0.5, limits);
}

}  // namespace

std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const double> smallest_rates,
                               const Limits& limits) {
  check_floating_point_environment();
  return budgeted(directions, smallest_rates.size(), limits, {0, infinity}, [&] {
    std::vector<Answer> answers(smallest_rates.size());
    for (std::size_t i = 0; i < answers.size(); ++i)
      for (const Direction& direction : directions) answers[i] = with(answers[i], direction, smallest_rates[i], limits);
    return answers;
  });
}

}  // namespace hockeystick
