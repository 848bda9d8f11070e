// SPDX-License-Identifier: Apache-2.0
#include "methods/smoothed_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "methods/smoothing.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/modulus_bound.hpp"
#include "plan/atom_planner.hpp"
#include "plan/cost.hpp"

namespace hockeystick {
namespace {

constexpr double share = 0.02;    // of the relative width of delta, for tail and aliases
constexpr double smoothed = 0.4;  // of the same width, for smoothing
constexpr double widest = 1;      // [nats]: beyond, tangents say little
constexpr double most_samples = 3e5, most_samples_of_atoms = 2e6;  // these take 1 GB: cost::contour_sample_bytes
constexpr double lowest_tilt = 0.02;    // of the saddle's tilt, where a line of atoms may run
constexpr double less_smoothing = 0.3;  // where moments decay by themselves
constexpr std::size_t spare_samples = 400;
constexpr std::size_t few_samples = 256;  // for which no better line is looked for
constexpr double worth_a_look = 3e5;      // samples times points, from which on their decay is looked at

// Samples after which the tail is e^log_share of delta, from the least that a normal law needs.
double samples_needed(const Smoothing& smoothing, const Contour& contour, double log_tail, double most) {
  const double spacing = 2 * std::numbers::pi / contour.period;
  const double normal = std::sqrt(std::max(1.0, -log_tail) / smoothing.variance());
  for (double count = std::ceil(std::max(64.0, normal / spacing)); count < most; count = std::ceil(1.1 * count)) {
    const double from = spacing * count;
    const double tail = 2 * smoothing.bound(contour.tilt, from) / ((smoothing.order(from) + 1) * spacing * from);
    if (math::log(tail) < log_tail) return count;
  }
  return infinity;
}

// Its count of samples is 0 if it needs too many; its cost is not known yet.
DiscretizedContourPlan smoothed_contour(const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance,
                                        double flattest, double most_smoothing, double most) {
  const double log_share = math::log(share * log_tolerance);
  const ContourFrame frame = contour_frame(saddlepoint, at, log_share, 1000 * likely_rounding(saddlepoint), flattest);
  DiscretizedContourPlan result{frame.contour, 0, infinity};
  Contour& contour = result.contour;
  if (!(contour.period > 0)) return result;
  const double curvature = at.regular ? at.curvature : contour.tilt * (1 + contour.tilt);
  result.smoothing = std::min(most_smoothing, std::sqrt(smoothed * log_tolerance / curvature));
  const double scale = frame.cumulants.value - contour.tilt * at.epsilon;
  const double log_sum = at.log_delta - scale + math::log(contour.period);
  const double count =
      samples_needed(Smoothing(Smoothing::Side::lower, result.smoothing), contour, log_share + log_sum, most);
  if (count < infinity) contour.count = static_cast<std::size_t>(count);
  return result;
}

// Where the line may run.
Saddle right_of_zero(Saddle at) {
  at.tilt = std::max(at.tilt, 1 / at.deviation);
  return at;
}

}  // namespace

namespace {

// Where moments decay long before the smoothing ends all, samples need not go on: their moduli are bounded up to there.
// Then less smoothing costs no samples.
void end_early(const Saddlepoint& saddlepoint, const Saddlepoint& decaying, const Saddle& at, double log_share,
               DiscretizedContourPlan& plan) {
  Contour& contour = plan.contour;
  const double spacing = 2 * std::numbers::pi / contour.period, smoothing_there = less_smoothing * plan.smoothing;
  const double last = spacing * static_cast<double>(contour.count) / less_smoothing;
  const Cumulants k = saddlepoint.cumulants(contour.tilt);
  const double log_sum = at.log_delta - (k.value - contour.tilt * at.epsilon) + math::log(contour.period);
  const double needed = std::max(4.0, -(log_share + log_sum));
  const Smoothing smoothing(Smoothing::Side::lower, smoothing_there);
  double from = std::sqrt(2 * needed / ((1 - modulus_bound_spends) * k.variance));
  for (int i = 0; i < 12 && from < 0.3 * less_smoothing * last; ++i, from *= 1.5) {
    const double goal = log_share + log_sum - math::log(4 / (spacing * from));
    const double most = goal - math::log(smoothing.bound(contour.tilt, from));
    if (!(log_modulus_bound(decaying, contour.tilt, from, from) < most)) continue;
    double reach = last;
    while (reach < 20 * last &&
           math::log(smoothing.bound(contour.tilt, reach)) + smoothing.order(from) * math::log(reach / from) > goal)
      reach *= 1.05;
    if (!(log_modulus_bound(decaying, contour.tilt, from, reach) < most)) continue;
    contour.count = static_cast<std::size_t>(std::ceil(from / spacing)) + 2;
    plan.reach = reach, plan.smoothing = smoothing_there;
    return;
  }
}

}  // namespace

DiscretizedContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                                double log_tolerance, const Saddlepoint* decaying) {
  DiscretizedContourPlan result =
      smoothed_contour(saddlepoint, right_of_zero(at), log_tolerance, 0.4, widest, most_samples);
  if (decaying && result.contour.count > few_samples &&
      plan.points * static_cast<double>(result.contour.count) > worth_a_look)
    end_early(saddlepoint, *decaying, at, math::log(share * log_tolerance), result);
  const auto count = static_cast<double>(result.contour.count);
  if (count > 0) result.cost = cost::discretized_contour(2 * count, plan.points);
  return result;
}

// Where few losses decide, two or more of the largest are rare, but steep tilts see them: of flatter ones the one of
// the fewest samples that leaves rounding little.
DiscretizedContourPlan plan_contour_of_atoms(const Saddlepoint& saddlepoint, double atoms, const Saddle& at,
                                             double log_tolerance, double most_smoothing, bool may_decay) {
  DiscretizedContourPlan result{};
  result.cost = infinity;
  Saddle line = right_of_zero(at);
  const double log_rounding = math::log(1e-15 * saddlepoint.total_count() / (share * log_tolerance));
  const double lowest = lowest_tilt * line.tilt;
  for (double tilt = line.tilt; tilt > lowest; line.tilt = tilt *= 0.5) {
    const double scale = saddlepoint.cumulants(tilt).value - tilt * at.epsilon - at.log_delta;
    if (result.contour.count > 0 && scale + log_rounding > 0) break;
    const auto next = smoothed_contour(saddlepoint, line, log_tolerance, 0.9, std::min(widest, most_smoothing),
                                       most_samples_of_atoms);
    const auto count = static_cast<double>(next.contour.count), least = static_cast<double>(result.contour.count);
    if (count > 0 && (least == 0 || count < 0.8 * least)) result = next;
    if (result.contour.count > 0 && (result.contour.count < few_samples || (least > 0 && count > 1.2 * least))) break;
  }
  if (may_decay && result.contour.count > few_samples / 2)
    end_early(saddlepoint, saddlepoint, at, math::log(share * log_tolerance), result);
  if (result.reach == 0 && result.contour.count < spare_samples) {  // hardly more cost, and a narrower answer
    const double less = std::max(less_smoothing, static_cast<double>(result.contour.count) / spare_samples);
    result.contour.count = static_cast<std::size_t>(std::ceil(static_cast<double>(result.contour.count) / less));
    result.smoothing *= less;
  }
  const auto count = static_cast<double>(result.contour.count), terms = static_cast<double>(saddlepoint.terms());
  if (count > 0) result.cost = cost::contour_of_atoms(terms, count, atoms);
  return result;
}

}  // namespace hockeystick
