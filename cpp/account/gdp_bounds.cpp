// SPDX-License-Identifier: Apache-2.0
//
// Let T_mu be the power of the Gaussian pair, concave and rising in mu; mu suffices at (x, T) iff
// mu >= z(x) - z(T). The smallest mu is sought with T_mu(x) >= power(x) wherever r <= x <= 1 - power(x): tests with
// fewer missed than false positives are the reversed direction's. Above: the power lies under the lines
// h(alpha) + alpha x, each used on its part of the axis; T_mu lies above a line on an interval if it does at both
// ends, so that nothing is lost between the finitely many ends looked at. Below: any x will do.
#include "account/gdp_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "account/enclosure.hpp"
#include "account/merge.hpp"
#include "account/rate_forecast.hpp"
#include "mechanisms/gaussian_tradeoff.hpp"
#include "numeric/rounding.hpp"
#include "pld/tradeoff.hpp"

namespace hockeystick {
namespace {

constexpr double u = unit_roundoff;

// Below this rate the transform is tilted, so that its precision is where the rates are.
constexpr double rare = 1e-5;

// Lines looked at: the power between two of them is off by the square of their distance in deviations.
double lines_wanted(double tolerance) { return std::clamp(12 / std::sqrt(tolerance), 300.0, 20000.0); }

// An upper bound of the mu needed, and where on the axis.
struct Needed {
  double mu = 0, fpr = 0.5;

  // power(x) <= bound is all that is known; only tests with power(x) <= 1 - x count.
  void take(double x, double bound) {
    const double power = std::min(bound, up(1 - x));
    if (!(power > x)) return;
    const double wanted = gaussian_mu_of(x, power).upper;
    if (wanted > mu) *this = {wanted, x};
  }
};

// The line value + alpha x on [from, to].
void take_line(Needed& needed, double value, double alpha, double from, double to) {
  if (!(from <= to)) return;
  const auto at = [&](double x) { return (value + alpha * x) * (1 + 4 * u) + 1e-307; };
  needed.take(from, at(from));
  // Where the line meets 1 - x the cap takes over, which falls.
  const double meeting = (1 - value) / (1 + alpha);
  if (meeting > from && meeting < to) {
    const double before = meeting * (1 - 16 * u), after = std::min(to, meeting * (1 + 16 * u));
    needed.take(std::max(from, before), at(after));
  } else {
    needed.take(to, at(to));
  }
}

std::size_t index_of(const CurveKinks& kinks, double loss) {
  const auto at = std::lower_bound(kinks.loss.begin(), kinks.loss.end(), loss);
  return std::min(static_cast<std::size_t>(at - kinks.loss.begin()), kinks.loss.size() - 1);
}

// For all rates in [from, to]. The lines are those between the best one at either end.
Needed needed_above(const CurveKinks& upper, double from, double to, double tolerance) {
  const std::size_t first = index_of(upper, power_above(upper, to).loss);
  const std::size_t last = std::max(first, index_of(upper, power_above(upper, from).loss));
  const auto stride = static_cast<std::size_t>(static_cast<double>(last - first) / lines_wanted(tolerance)) + 1;
  Needed needed;
  needed.fpr = to;
  for (std::size_t k = first; to > from; k = std::min(last, k + stride)) {
    double meeting = from;
    if (k < last) {
      const std::size_t next = std::min(last, k + stride);
      meeting = (upper.value[k] - upper.value[next]) / (upper.alpha[next] - upper.alpha[k]);
      meeting = meeting > from ? std::min(meeting, to) : from;
    }
    if (meeting < to) take_line(needed, upper.value[k], upper.alpha[k], meeting, to);
    to = meeting;
  }
  return needed;
}

// A lower bound, from the rate at which the upper bound was attained.
double needed_below(const Enclosure& enclosure, const CurveKinks& upper, const Needed& needed) {
  const PowerBound above = power_above(upper, needed.fpr);
  if (!(above.value <= 1 - needed.fpr)) return 0;
  const double power = power_below(certified_kinks(enclosure.lower), needed.fpr, above).value;
  return power > needed.fpr ? std::max(0.0, gaussian_mu_of(needed.fpr, power).lower) : 0.0;
}

// The larger of two enclosed values.
Answer worse(const Answer& a, const Answer& b, double tolerance) {
  Answer result = b.upper > a.upper ? b : a;
  result.lower = std::max(a.lower, b.lower);
  result.met = (a.met && b.met) || result.upper - result.lower <= tolerance * result.upper;
  result.obstacle = result.met ? "" : a.met ? b.obstacle : a.obstacle;
  return result;
}

// Over rates in [from, to]; done as soon as the answer is no more than `known`.
Answer solve(const Direction& direction, double from, double to, double known, const Limits& limits) {
  const Pilot pilot(direction);
  const Saddle last = saddle_for_fpr(pilot, from);
  // In the tail a change of mu moves the power by several times as much, relatively.
  const double width = 8 * limits.tolerance * std::min(1.0, pilot.saddle(0).deviation);
  const double interval = interval_for_tail(pilot, last, width);
  const double tilt = to < 0.5 ? std::min(tilt_for_fpr(pilot, from), 0.5 / interval) : 0.0;
  Answer answer;
  answer.upper = std::numeric_limits<double>::infinity();
  const Refinement refinement{interval, 1e-4 * limits.tolerance * from, tilt};
  const Outcome outcome = refine(direction, refinement, limits, [&](const Enclosure& enclosure) {
    const CurveKinks upper = certified_kinks(enclosure.upper);
    const Needed needed = needed_above(upper, from, to, limits.tolerance);
    answer.upper = std::min(answer.upper, needed.mu);
    answer.lower = std::max(answer.lower, needed_below(enclosure, upper, needed));
    answer.interval = enclosure.upper.interval;
    answer.size = enclosure.upper.mass.size();
    answer.tilt = enclosure.upper.tilt;
    answer.passes += 1;
    if (answer.upper <= known) return 0.0;
    return (answer.upper - std::max(known, answer.lower)) / (limits.tolerance * answer.upper);
  });
  answer.obstacle = outcome.obstacle;
  answer.required_bytes = outcome.required_bytes;
  answer.met = outcome.obstacle.empty();
  return answer;
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
  answer = known;
  if (rate < rare) answer = worse(answer, solve(merged.terms, rate, rare, answer.lower, limits), limits.tolerance);
  return worse(answer, solve(merged.terms, std::max(rate, rare), 0.5, answer.lower, limits), limits.tolerance);
}

}  // namespace

std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const double> smallest_rates,
                               const Limits& limits) {
  check_floating_point_environment();
  std::vector<Answer> answers(smallest_rates.size());
  for (std::size_t i = 0; i < answers.size(); ++i)
    for (const Direction& direction : directions) answers[i] = with(answers[i], direction, smallest_rates[i], limits);
  return answers;
}

}  // namespace hockeystick
