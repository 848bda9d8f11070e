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
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

using tuning::less_smoothing, tuning::few_samples, tuning::spare_samples;

double log_share(double log_tolerance) { return math::log(tuning::smoothed_share * log_tolerance); }

// Number of samples beyond which the tail is e^log_tail, at least the number that a normal law needs.
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

// A plan without a cost. Its count of samples is 0 if it needs too many.
ContourPlan smoothed_contour(const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance, double caution,
                             double flattest, double most_smoothing, double most) {
  const double goal = log_share(log_tolerance) - caution;
  const ContourFrame frame = contour_frame(saddlepoint, at, goal, 1000 * likely_rounding(saddlepoint), flattest);
  ContourPlan result{.contour = frame.contour};
  Contour& contour = result.contour;
  if (!(contour.period > 0)) return result;
  const double curvature = at.regular ? at.curvature : contour.tilt * (1 + contour.tilt);
  result.smoothing = std::min(most_smoothing, std::sqrt(tuning::smoothing_share * log_tolerance / curvature));
  const double scale = frame.cumulants.value - contour.tilt * at.epsilon;
  const double log_sum = at.log_delta - scale + math::log(contour.period);
  const double count =
      samples_needed(Smoothing(Smoothing::Side::lower, result.smoothing), contour, goal + log_sum, most);
  if (count < infinity) contour.count = static_cast<std::size_t>(count);
  return result;
}

Saddle right_of_zero(const Saddlepoint& saddlepoint, Saddle at) {
  at.tilt = saddlepoint.tilt_right_of_zero(at);
  return at;
}

}  // namespace

namespace {

// If moments decay long before the smoothing makes samples small, the samples end where they have decayed, and bounds
// of their moduli cover the frequencies up to the reach. Less smoothing then needs no more samples.
void end_early(const Saddlepoint& saddlepoint, const Saddlepoint& decaying, const Saddle& at, double log_error,
               ContourPlan& plan) {
  Contour& contour = plan.contour;
  const double spacing = 2 * std::numbers::pi / contour.period, smoothing_there = less_smoothing * plan.smoothing;
  const double last = spacing * static_cast<double>(contour.count) / less_smoothing;
  const Cumulants k = saddlepoint.cumulants(contour.tilt);
  const double log_sum = at.log_delta - (k.value - contour.tilt * at.epsilon) + math::log(contour.period);
  const double needed = std::max(4.0, -(log_error + log_sum));
  const Smoothing smoothing(Smoothing::Side::lower, smoothing_there);
  double from = std::sqrt(2 * needed / ((1 - modulus_bound_spends) * k.variance));
  for (int i = 0; i < 12 && from < 0.3 * less_smoothing * last; ++i, from *= 1.5) {
    const double goal = log_error + log_sum - math::log(4 / (spacing * from));
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

ContourPlan plan_discretized_contour(const Saddlepoint& saddlepoint, const Plan& plan, const Saddle& at,
                                     double log_tolerance, const Saddlepoint* decaying) {
  ContourPlan result = smoothed_contour(saddlepoint, right_of_zero(saddlepoint, at), log_tolerance, 0,
                                        tuning::flattest_line, tuning::widest_smoothing, tuning::most_samples);
  if (const auto count = static_cast<double>(result.contour.count);
      decaying && count > few_samples && plan.points * count > tuning::decay_work)
    end_early(saddlepoint, *decaying, at, log_share(log_tolerance), result);
  const auto count = static_cast<double>(result.contour.count);
  if (count > 0) result.cost = cost::discretized_contour(2 * count, plan.points);
  return result;
}

// Tries tilts below the saddle point's and keeps the one with the fewest samples whose rounding stays small: steep
// tilts overweight sums of several rare losses.
ContourPlan plan_contour_of_atoms(const Saddlepoint& saddlepoint, double atoms, const Saddle& at, double log_tolerance,
                                  double caution, double most_smoothing, bool may_decay) {
  ContourPlan result;
  Saddle line = right_of_zero(saddlepoint, at);
  const double log_rounding = math::log(1e-15 * saddlepoint.total_count() / (tuning::smoothed_share * log_tolerance));
  const double lowest = 0.02 * line.tilt;
  for (double tilt = line.tilt; tilt > lowest; line.tilt = tilt *= 0.5) {
    const double scale = saddlepoint.cumulants(tilt).value - tilt * at.epsilon - at.log_delta;
    if (result.contour.count > 0 && scale + log_rounding > 0) break;
    const auto next = smoothed_contour(saddlepoint, line, log_tolerance, caution, 0.9,
                                       std::min(tuning::widest_smoothing, most_smoothing), tuning::most_samples);
    const auto count = static_cast<double>(next.contour.count), least = static_cast<double>(result.contour.count);
    if (count > 0 && (least == 0 || count < 0.8 * least)) result = next;
    if (result.contour.count > 0 &&
        (static_cast<double>(result.contour.count) < few_samples || (least > 0 && count > 1.2 * least)))
      break;
  }
  if (may_decay && static_cast<double>(result.contour.count) > few_samples / 2)
    end_early(saddlepoint, saddlepoint, at, log_share(log_tolerance) - caution, result);
  // More samples cost little here and allow less smoothing, for a narrower answer.
  if (result.reach == 0 && static_cast<double>(result.contour.count) < spare_samples) {
    const double less = std::max(less_smoothing, static_cast<double>(result.contour.count) / spare_samples);
    result.contour.count = static_cast<std::size_t>(std::ceil(static_cast<double>(result.contour.count) / less));
    result.smoothing *= less;
  }
  result.needs = {result.contour.lower, result.contour.tilt, result.contour.higher, 0, 0};
  const auto count = static_cast<double>(result.contour.count), terms = static_cast<double>(saddlepoint.terms());
  if (count > 0) result.cost = cost::contour_of_atoms(terms, count, atoms);
  return result;
}

}  // namespace hockeystick
