// SPDX-License-Identifier: Apache-2.0
#include "forecast/contour_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "forecast/cost.hpp"
#include "numeric/constants.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/chernoff.hpp"

namespace hockeystick {
namespace {

constexpr double share = 0.01;       // of the tolerance on delta, for each of tail and aliases
constexpr double rounding = 1e-15;   // of a step's moment, over how much more than `share` it may take
constexpr double fewest_nodes = 30;  // of a line
constexpr double farthest_tilt = 500;
constexpr double least_log_delta = -680;

double log_count(const Direction& direction) {
  double count = 0;
  for (const Term& term : direction) count += static_cast<double>(term.count);
  return std::log(count);
}

}  // namespace

Lines make_lines(const Direction& direction, const LineNeeds& needs) {
  Lines lines;
  for (const Term& term : direction) {
    checkpoint_each<16>(lines.size());
    lines.push_back(term.pair->mgf_line(needs));
    if (!lines.back()) return {};
  }
  return lines;
}

Contour contour_frame(const Saddlepoint& saddlepoint, const Saddle& at, double log_share) {
  Contour best{};
  double nearby = std::numeric_limits<double>::quiet_NaN();
  // Near a tilt at which rare huge losses take over, aliases reach far: below it they do not.
  for (double tilt = at.tilt; tilt > 0.4 * at.tilt; tilt *= 0.75) {
    const Cumulants k = saddlepoint.cumulants(tilt);
    const double excess = k.value - tilt * at.epsilon - log_share - at.log_delta;
    if (best.period > 0 && excess + std::log(rounding * saddlepoint.total_count()) > 0) break;
    const double wanted = std::max(1.0, excess + log_chernoff_peak(tilt));
    const auto above = saddlepoint.reach({tilt, k}, wanted, 1, farthest_tilt, nearby);
    const auto below = saddlepoint.reach({tilt, k}, wanted, -1, tilt);
    nearby = above.tilt;
    // An alias is e^(K(t) - t epsilon + peak(t) - abs(t - tilt) period) at most, and reach knows K(t).
    const auto wanted_period = [&](const Saddlepoint::Reach& reach) {
      const double rise = (reach.tilt - tilt) * (reach.loss - at.epsilon);
      return (rise - wanted + excess + log_chernoff_peak(reach.tilt)) / std::fabs(reach.tilt - tilt);
    };
    const double period = 1.02 * std::max(wanted_period(above), wanted_period(below));
    if (best.period == 0 || period < 0.7 * best.period) best = {std::max(0.0, below.tilt), tilt, above.tilt, period, 0};
    if (period < 4 * std::sqrt(wanted * k.variance)) break;
  }
  return best;
}

ContourPlanner::ContourPlanner(const Direction& direction, const Question& question)
    : direction_(direction), saddlepoint_(direction), question_(question) {
  if (question.wants_epsilon()) {
    at_ = near_delta(std::log(question.at));
    return;
  }
  at_ = near_epsilon(saddlepoint_, question.at);
  for (int i = 0; i < 4; ++i) {
    const double before = at_.log_delta;
    at_ = near_epsilon(near(before), question.at);
    if (at_.log_delta > before - 1) break;
  }
}

std::optional<ContourPlan> ContourPlanner::next(Lines& lines) {
  if (!(at_.epsilon >= 0) || (question_.wants_epsilon() && at_.epsilon == 0) || !(at_.log_delta > least_log_delta))
    return {};
  ContourPlan plan{frame(), {}, 0};
  Contour& contour = plan.contour;
  if (!(contour.period > 0) || !(contour.higher < farthest_tilt)) return {};
  const double spacing = 2 * std::numbers::pi / contour.period;
  // Errors are relative to the moment at the tilt, of which delta may be a small part.
  const double accuracy = log_count(direction_) - log_share_ + 2 + std::max(0.0, -2 - log_sum_);
  const double budget = forecast_transform_cost(saddlepoint_, at_, log_tolerance_);
  double frequency = 2 * std::sqrt(2 * (2 - log_share_)) / deviation_ * caution_;
  const auto terms = static_cast<double>(saddlepoint_.terms());
  double least = std::ceil(0.5 * frequency / spacing) + 2;
  if (!(cost::contour(terms, least, fewest_nodes * terms) < budget)) return {};
  for (int i = 0; i < 4; ++i) {
    plan.needs = {contour.lower, contour.tilt, contour.higher, frequency, accuracy};
    lines = make_lines(direction_, plan.needs);
    if (lines.empty()) return {};
    double nodes = 0;
    for (const auto& line : lines) nodes += static_cast<double>(line->size());
    const double most = cost::contour_samples(budget, terms, nodes);
    const double count = samples_needed(lines, spacing, least, most);
    if (!(count < most)) return {};
    plan.cost = cost::contour(terms, count, nodes);
    contour.count = static_cast<std::size_t>(count);
    double truncated = 0;
    for (std::size_t j = 0; j < lines.size(); ++j)
      truncated += static_cast<double>(direction_[j].count) * lines[j]->truncation(count * spacing);
    if (truncated < 0.5) return plan;        // there the samples are as small as the tail
    frequency = caution_ * count * spacing;  // finer nodes show a faster decay
    least = std::ceil(0.5 * frequency / spacing) + 2;
  }
  return {};
}

bool ContourPlanner::learn(double epsilon, double delta, double slope) {
  if (!(epsilon >= 0) || !(delta > 0)) return false;
  at_ = near_epsilon(near(std::log(delta)), epsilon);
  caution_ *= 1.5;
  at_.log_delta = std::log(delta);
  at_.slope = slope;
  return at_.tilt > 0 && at_.slope > 0;
}

// Without what losses far beyond add to the moments: rare huge ones rule these long before they matter to delta.
Saddlepoint ContourPlanner::near(double log_delta) const {
  Saddlepoint saddlepoint = saddlepoint_;
  saddlepoint.truncate(log_delta + std::log(1e-3));
  return saddlepoint;
}

// At a tilt, the saddle's or below, at which the moments hardly know of losses that `near` left out: moments are of
// all.
Saddle ContourPlanner::below_outliers(const Saddle& at, const Saddlepoint& near) const {
  const auto knows = [&](double tilt) {
    return saddlepoint_.cumulants(tilt).value > near.cumulants(tilt).value + 0.01;
  };
  Saddle result = at;
  result.tilt = std::max(at.tilt, 1 / at.deviation);
  if (!knows(result.tilt)) return result;
  double low = 0, high = result.tilt;
  for (int i = 0; i < 5; ++i) (knows(result.tilt = (low + high) / 2) ? high : low) = result.tilt;
  result.tilt = low;
  return result;
}

// By a few Newton steps: the contour needs no exact saddle point.
Saddle ContourPlanner::near_delta(double log_delta) const {
  const Saddlepoint saddlepoint = near(log_delta);
  Saddle at = saddlepoint.saddle(0);
  const double scale = at.deviation;
  double tilt = std::sqrt(2 * std::max(0.5, -log_delta - 2)) / scale, low = 0, high = infinity;
  for (int i = 0; i < 20; ++i) {
    at = saddlepoint.saddle(tilt);
    const double excess = at.log_delta - log_delta;
    if (std::fabs(excess) < 0.3) break;
    (excess > 0 ? low : high) = tilt;
    const double next = tilt + excess / (tilt * at.deviation * at.deviation + 1 / tilt);
    tilt = next > low && next < high ? next : high < infinity ? (low + high) / 2 : 2 * tilt;
  }
  at.epsilon += (at.log_delta - log_delta) / at.slope;
  at.log_delta = log_delta;
  return below_outliers(at, saddlepoint);
}

Saddle ContourPlanner::near_epsilon(const Saddlepoint& saddlepoint, double epsilon) const {
  Saddle at = saddlepoint.saddle(0);
  double tilt = std::max(0.0, (epsilon - at.epsilon) / (at.deviation * at.deviation)), low = 0, high = infinity;
  for (int i = 0; i < 20 && tilt > 0; ++i) {
    at = saddlepoint.saddle(tilt);
    const double excess = epsilon - at.epsilon;
    if (std::fabs(excess) < 0.1 * at.deviation) break;
    (excess > 0 ? low : high) = tilt;
    const double next = tilt + excess / (at.deviation * at.deviation);
    tilt = next > low && next < high ? next : high < infinity ? (low + high) / 2 : 2 * tilt;
  }
  at.log_delta -= at.slope * (epsilon - at.epsilon);
  at.epsilon = epsilon;
  return below_outliers(at, saddlepoint);
}

Contour ContourPlanner::frame() {
  const double tolerance = question_.tolerance;
  const double wide = std::min(0.5, question_.wants_epsilon() ? at_.slope * tolerance * at_.epsilon : tolerance);
  log_tolerance_ = std::max(wide, 1e-12);
  log_share_ = std::log(share * log_tolerance_) - question_.log_margin;
  const Contour contour = contour_frame(saddlepoint_, at_, log_share_);
  const Cumulants k = saddlepoint_.cumulants(contour.tilt);
  deviation_ = std::sqrt(k.variance);
  log_sum_ = at_.log_delta - (k.value - contour.tilt * at_.epsilon) + std::log(contour.period);
  return contour;
}

// The log of the tail falls about as the square of the count where samples are few, as the count itself beyond.
double ContourPlanner::samples_needed(const Lines& lines, double spacing, double least, double most) const {
  const double goal = log_share_ + log_sum_;
  double count = least;
  while (count < most) {
    const double tail = log_tail(lines, spacing, count);
    if (tail <= goal) break;
    const double short_by = tail < 0 && goal < 0 ? std::sqrt(goal / tail) : 1.5;
    count = std::ceil(std::clamp(short_by, 1.04, 1.5) * count) + 1;
  }
  return count;
}

// log of what the samples from `count` on add to the sum at most.
double ContourPlanner::log_tail(const Lines& lines, double spacing, double count) const {
  double log_modulus = 0;
  for (std::size_t j = 0; j < lines.size(); ++j)
    log_modulus += saddlepoint_.count(j) * std::log(std::max(lines[j]->modulus_bound(spacing * count), 1e-300));
  return log_modulus - std::log(spacing * spacing * count / 2);
}

}  // namespace hockeystick
