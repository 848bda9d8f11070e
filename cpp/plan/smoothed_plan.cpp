// SPDX-License-Identifier: Apache-2.0
#include "plan/smoothed_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/modulus_bound.hpp"
#include "numeric/simd/vector_math.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"
#include "pld/smoothing.hpp"

namespace hockeystick {
namespace {

using tuning::less_smoothing, tuning::few_samples, tuning::spare_samples;

double log_share(const SmoothedNeeds& needs) {
  return math::log(tuning::smoothed_share * needs.log_tolerance) - needs.caution;
}

// Number of samples beyond which the tail is e^log_tail, at least the number that a normal law needs.
double samples_needed(const Smoothing& smoothing, const Contour& contour, double log_tail) {
  const double spacing = 2 * std::numbers::pi / contour.period;
  const double normal = std::sqrt(std::max(1.0, -log_tail) / smoothing.variance());
  for (double count = std::ceil(std::max(64.0, normal / spacing)); count < tuning::most_samples;
       count = std::ceil(1.1 * count)) {
    const double from = spacing * count;
    const double tail = 2 * smoothing.bound(contour.tilt, from) / ((smoothing.order(from) + 1) * spacing * from);
    if (math::log(tail) < log_tail) return count;
  }
  return infinity;
}

// A plan without a cost. Its count of samples is 0 if it needs too many.
ContourPlan smoothed_contour(const Saddlepoint& saddlepoint, const Saddle& at, const SmoothedNeeds& needs) {
  const double goal = log_share(needs);
  constexpr double flattest = 0.9;  // the search tries flatter lines
  const ContourFrame frame = contour_frame(saddlepoint, at, goal, 1000 * likely_rounding(saddlepoint), flattest);
  ContourPlan result{.contour = frame.contour};
  Contour& contour = result.contour;
  if (!(contour.period > 0)) return result;
  const double curvature = at.regular ? at.curvature : contour.tilt * (1 + contour.tilt);
  result.smoothing = std::min({tuning::widest_smoothing, needs.most_smoothing,
                               std::sqrt(tuning::smoothing_share * needs.log_tolerance / curvature)});
  const double scale = frame.cumulants.value - contour.tilt * at.epsilon;
  const double log_sum = at.log_delta - scale + math::log(contour.period);
  const double count = samples_needed(Smoothing(Smoothing::Side::lower, result.smoothing), contour, goal + log_sum);
  if (count < infinity) contour.count = static_cast<std::size_t>(count);
  return result;
}

// log of the bound that lines find for the modulus of a composition's moments between two frequencies, relative to the
// moment at the tilt.
double log_modulus_bound(const Saddlepoint& saddlepoint, double tilt, double from, double to) {
  double result = 0;
  std::vector<double> masses, losses;
  for (std::size_t j = 0; j < saddlepoint.terms(); ++j) {
    const SeenNodes nodes = saddlepoint.nodes(j);
    const double largest = saddlepoint.log_moment(j, tilt);
    masses.clear(), losses.clear();
    for (std::size_t k = 0; k < nodes.loss.size(); ++k) {
      const double log_mass = nodes.log_mass[k] + tilt * nodes.loss[k] - largest;
      if (log_mass > -40) masses.push_back(log_mass), losses.push_back(nodes.loss[k]);
    }
    exponentials(masses);
    result += saddlepoint.count(j) * math::log(modulus_bound(masses, losses, from, to));
  }
  return result;
}

// If moments decay long before the smoothing makes samples small, the samples end where they have decayed, and bounds
// of their moduli cover the frequencies up to the reach. Less smoothing then needs no more samples.
void end_early(const Saddlepoint& saddlepoint, const Saddle& at, double log_error, ContourPlan& plan) {
  Contour& contour = plan.contour;
  const double spacing = 2 * std::numbers::pi / contour.period, smoothing_there = less_smoothing * plan.smoothing;
  const double last = spacing * static_cast<double>(contour.count) / less_smoothing;
  const Cumulants k = saddlepoint.cumulants(contour.tilt);
  const double log_sum = at.log_delta - (k.value - contour.tilt * at.epsilon) + math::log(contour.period);
  const double needed = std::max(4.0, -(log_error + log_sum));
  const Smoothing smoothing(Smoothing::Side::lower, smoothing_there);
  double from = std::sqrt(2 * needed / ((1 - modulus_bound_spends) * k.variance));
  double before = 0;
  for (int i = 0; i < 12 && from < 0.3 * less_smoothing * last; ++i, from *= 1.5) {
    const double goal = log_error + log_sum - math::log(4 / (spacing * from));
    const double most = goal - math::log(smoothing.bound(contour.tilt, from));
    const double here = log_modulus_bound(saddlepoint, contour.tilt, from, from);
    if (!(here < 1.2 * before)) return;  // levels off; at 1.5 rates of fixed size within 1 MiB are refused
    before = here;
    if (!(here < most)) continue;
    double reach = last;
    while (reach < 20 * last &&
           math::log(smoothing.bound(contour.tilt, reach)) + smoothing.order(from) * math::log(reach / from) > goal)
      reach *= 1.05;
    if (!(log_modulus_bound(saddlepoint, contour.tilt, from, reach) < most)) continue;
    contour.count = static_cast<std::size_t>(std::ceil(from / spacing)) + 2;
    plan.reach = reach, plan.smoothing = smoothing_there;
    return;
  }
}

double count_of(const ContourPlan& plan) { return static_cast<double>(plan.contour.count); }

}  // namespace

// Tries tilts below the saddle point's and keeps the one with the fewest samples whose rounding stays small: steep
// tilts overweight sums of several rare losses.
ContourPlan plan_smoothed_contour(const Saddlepoint& saddlepoint, const Saddle& at, const SmoothedNeeds& needs) {
  ContourPlan result;
  Saddle line = at;
  line.tilt = saddlepoint.tilt_right_of_zero(at);
  const double log_rounding =
      math::log(1e-15 * saddlepoint.total_count() / (tuning::smoothed_share * needs.log_tolerance));
  const double lowest = 0.02 * line.tilt;
  for (double tilt = line.tilt; tilt > lowest; line.tilt = tilt *= 0.5) {
    const double scale = saddlepoint.cumulants(tilt).value - tilt * at.epsilon - at.log_delta;
    const double least = count_of(result);
    if (least > 0 && scale + log_rounding > 0) break;
    const ContourPlan next = smoothed_contour(saddlepoint, line, needs);
    const double count = count_of(next);
    if (count > 0 && (least == 0 || count < 0.8 * least)) result = next;
    if (count_of(result) > 0 && (count_of(result) < few_samples || (least > 0 && count > 1.2 * least))) break;
  }
  if (needs.may_decay && count_of(result) > few_samples / 2) end_early(saddlepoint, at, log_share(needs), result);
  // More samples cost little if points are few, and allow less smoothing, for a narrower answer.
  if (result.reach == 0 && count_of(result) < spare_samples && needs.points * spare_samples < tuning::decay_work) {
    const double less = std::max(less_smoothing, count_of(result) / spare_samples);
    result.contour.count = static_cast<std::size_t>(std::ceil(count_of(result) / less));
    result.smoothing *= less;
  }
  result.needs = {result.contour.lower, result.contour.tilt, result.contour.higher, 0, 0};
  if (result.contour.count > 0)
    result.cost = cost::smoothed_contour(static_cast<double>(saddlepoint.terms()), count_of(result), needs.points);
  return result;
}

}  // namespace hockeystick
