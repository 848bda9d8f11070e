// SPDX-License-Identifier: Apache-2.0
#include "views/power_by_deltas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "plan/normal_tail.hpp"

namespace hockeystick {
namespace {

constexpr double for_distance = 0.4;  // the part of the allowed width for the distance between points
constexpr double at_once = 8;         // points from saddle to saddle, as a saddle needs all terms of a composition

// Between points at a distance d the error of the power is p d^2 / 2. The density p of the loss is about (0.8 + |z|) /
// s of the lesser error rate, z deviations s out.
NeedsAt needs_of_rates(double tolerance) {
  return [=](const Saddle& at) {
    const double away = std::fabs(at.tilt) * at.deviation;
    return PointNeeds{std::sqrt(2 * for_distance * tolerance * at.deviation / (0.8 + away)), tolerance};
  };
}

// Delta is the power over 1 + slope; where tests find most records, delta is closer than the rate of misses.
double delta_tolerance(const Saddle& at, double tolerance) {
  const double share = at.epsilon > 0 ? std::max(missed_share(at), 1e-6) * (1 + std::max(at.slope, 0.0)) : 1;
  return std::clamp(for_delta * tolerance * share, least_tolerance, most_tolerance);
}

class PowerSearch {
 public:
  PowerSearch(const Saddlepoint& saddlepoint, CurvePoints& curve, std::span<const double> fprs, double tolerance,
              const AllowedWidth& allowed, std::span<Answer> answers)
      : saddlepoint_(saddlepoint),
        curve_(curve),
        fprs_(fprs),
        tolerance_(tolerance),
        allowed_(allowed),
        answers_(answers),
        widths_(fprs.size(), infinity) {
    for (std::size_t i = 0; i < fprs.size(); ++i)
      if (!answers[i].converged) open_.push_back(i);
    sort_by(open_, [&](std::size_t i) { return -fprs[i]; });
  }

  void solve() {
    if (open_.empty()) return;
    std::vector<WantedPoint> wanted = first_points();
    for (int round = 0, failed = 0; round < most_rounds && failed < most_failed && !wanted.empty(); ++round) {
      if (!curve_.ask(std::move(wanted))) ++failed;
      wanted.clear();
      std::size_t near = 0;
      std::vector<std::size_t> left;
      for (const std::size_t i : open_) {
        checkpoint_each<64>(i);
        const PowerBetween found = power_between(curve_.points(), fprs_[i], near);
        near = found.best;
        const bool is_closed = found.is_closed_below && found.is_closed_above;
        // The width by the points alone, as other bounds of the answer may be known already.
        const double width = found.power.upper - found.power.lower, before = std::exchange(widths_[i], width);
        if (take(i, found) || (round > 6 && is_closed && width > 0.9 * before)) continue;
        left.push_back(i);
        add_points(curve_.points(), found, allowed_(answers_[i]), wanted);
      }
      open_ = std::move(left);
    }
  }

 private:
  std::vector<WantedPoint> first_points() const {
    const NeedsAt needs = needs_of_rates(tolerance_);
    // No power is below its rate, so that a delta need be no closer than the rate.
    const auto between = [&](double most, double least) {
      std::vector<WantedPoint> points = points_between(saddlepoint_, deciding_saddle(saddlepoint_, most),
                                                       deciding_saddle(saddlepoint_, least), needs);
      for (WantedPoint& point : points) point.enough = for_delta * tolerance_ * std::min(least, 1 - most);
      return points;
    };
    std::vector<WantedPoint> wanted;
    if (open_.size() > few_questions) wanted = between(fprs_[open_.front()], fprs_[open_.back()]);
    if (!wanted.empty()) return wanted;
    const std::size_t stride = (open_.size() + few_questions - 1) / few_questions;
    for (std::size_t k = 0; k < open_.size(); k += stride) {
      const std::vector<WantedPoint> about = between(fprs_[open_[k]], fprs_[open_[k]]);
      wanted.insert(wanted.end(), about.begin(), about.end());
    }
    return wanted;
  }

  // Whether the answer is as narrow as allowed.
  bool take(std::size_t i, const PowerBetween& found) {
    Answer& answer = answers_[i];
    answer.lower = std::max(answer.lower, found.power.lower);
    answer.upper = std::min(answer.upper, found.power.upper);
    answer.converged = answer.upper - answer.lower <= allowed_(answer);
    if (answer.converged) answer.limited_by = {};
    return answer.converged;
  }

  const Saddlepoint& saddlepoint_;
  CurvePoints& curve_;
  std::span<const double> fprs_;
  double tolerance_;
  const AllowedWidth& allowed_;
  std::span<Answer> answers_;
  std::vector<double> widths_;     // between the points, in the last round
  std::vector<std::size_t> open_;  // by falling rate, so by rising loss
};

// Where the chords on either side of point k and the next meet: at the kink, if the curve has one between straight
// parts. NaN if they do not meet between the points.
double meeting_of_chords(std::span<const CurvePoint> points, std::size_t k) {
  const auto alpha = [&](std::size_t i) { return points[i].alpha.upper; };
  const auto slope = [&](std::size_t i) {
    return (points[i + 1].value.upper - points[i].value.upper) / (alpha(i + 1) - alpha(i));
  };
  const double before = slope(k - 1), behind = slope(k + 1);
  const double fall = points[k + 1].value.upper - points[k].value.upper - behind * (alpha(k + 1) - alpha(k));
  const double at = alpha(k) + fall / (before - behind);
  return at > alpha(k) && at < alpha(k + 1) ? math::log(at) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

double missed_share(const Saddle& at) {
  const double away = at.tilt * at.deviation;
  return std::min(1.0, scaled_normal_tail(-away) / scaled_normal_tail(away));
}

void add_points(std::span<const CurvePoint> points, const PowerBetween& found, double allowed,
                std::vector<WantedPoint>& wanted) {
  const std::size_t size = points.size();
  if (size == 0) return;
  // Next to a point that came out wider than wanted, other points do so as well.
  const auto want = [&](double loss, const CurvePoint& a, const CurvePoint& b) {
    const double tolerance = for_delta * allowed / std::sqrt(size_of(a) * size_of(b));
    wanted.push_back({loss,
                      std::clamp(std::max(tolerance, std::min(a.refused, b.refused)), least_tolerance, most_tolerance),
                      for_delta * allowed});
  };
  const auto beyond = [&](const CurvePoint& end, double step) {
    for (int k = 1; k <= 32; k *= 2) want(end.loss + k * step, end, end);
  };
  const double alone = std::max(std::fabs(points[found.best].loss), 1.0) / 32;
  const double before = size > 1 ? points[1].loss - points[0].loss : alone;
  const double behind = size > 1 ? points[size - 1].loss - points[size - 2].loss : alone;
  if (!found.is_closed_above) beyond(points.back(), behind);
  if (!found.is_closed_below) beyond(points.front(), -before);
  if (!found.is_closed_above || !found.is_closed_below) return;
  const auto closer = [&](std::size_t first, std::size_t last) {
    for (std::size_t k = first; k <= last; ++k) {
      const CurvePoint& at = points[k];
      if (at.refused == 0 && at.value.upper - at.value.lower > for_delta * allowed) want(at.loss, at, at);
      if (k == last) break;
      for (const double share : {0.25, 0.5, 0.75})
        want(at.loss + share * (points[k + 1].loss - at.loss), at, points[k + 1]);
    }
  };
  closer(found.best - std::min<std::size_t>(found.best, 2), std::min(size - 1, found.best + 2));
  for (std::size_t k = found.best - std::min<std::size_t>(found.best, 1); k <= found.best; ++k)
    if (k > 0 && k + 2 < size) want(meeting_of_chords(points, k), points[k], points[k + 1]);
  if (found.weakest + 2 < found.best || found.weakest > found.best + 1)
    closer(found.weakest, std::min(size - 1, found.weakest + 1));
}

Saddle deciding_saddle(const Saddlepoint& saddlepoint, double fpr) {
  return fpr <= 0.5 ? saddlepoint.saddle_for_rate(fpr, 1) : saddlepoint.saddle_for_rate(1 - fpr, -1);
}

std::vector<WantedPoint> points_between(const Saddlepoint& saddlepoint, const Saddle& from, const Saddle& to,
                                        const NeedsAt& needs) {
  std::vector<WantedPoint> points;
  Saddle at = from;
  PointNeeds now = needs(at);
  const auto add = [&](double loss) {
    points.push_back({std::clamp(loss, -farthest_point, farthest_point), delta_tolerance(at, now.tolerance)});
  };
  for (int k = -3; k < 0; ++k) add(at.epsilon + k * now.distance);
  while (at.tilt < to.tilt && points.size() < most_points) {
    checkpoint_each<16>(points.size());
    const double further = at_once * now.distance / (at.deviation * at.deviation);
    const Saddle next = saddlepoint.saddle(std::min(to.tilt, at.tilt + further));
    const double way = next.epsilon - at.epsilon;
    const double parts = std::clamp(std::ceil(way / now.distance), 1.0, static_cast<double>(most_points));
    for (double part = 0; part < parts; ++part) add(at.epsilon + part / parts * way);
    if (!(next.tilt > at.tilt)) break;
    at = next;
    now = needs(at);
  }
  for (int k = 0; k <= 3; ++k) add(at.epsilon + k * now.distance);
  if (points.size() > most_points) points.clear();
  return points;
}

// h(alpha) + alpha x is at least h(1 / x) up to alpha = 1 / x, and at least 1 beyond.
void power_next_to_one(const Saddlepoint& saddlepoint, const Direction& direction, std::span<const double> fprs,
                       double missed, const Limits& limits, std::span<Answer> answers) {
  const double exceeded = saddlepoint.exceeded(missed).loss;
  const bool is_short = runs_once(direction) && fprs.size() <= few_questions;
  std::vector<double> losses;
  std::vector<std::size_t> which;
  for (std::size_t i = 0; i < fprs.size(); ++i) {
    checkpoint_each<1024>(i);
    const double loss = -math::log(fprs[i]) * (1 + 8 * u);  // proof: power-chords
    if (answers[i].converged || !(is_short || loss < exceeded)) continue;
    losses.push_back(loss), which.push_back(i);
  }
  if (which.empty()) return;
  const Limits of_deltas{missed, limits.memory_limit, is_short ? "single_step" : "chernoff_bound"};
  const std::vector<Answer> deltas = delta_bounds({&direction, 1}, losses, of_deltas);
  for (std::size_t k = 0; k < which.size(); ++k) {
    double& lower = answers[which[k]].lower;
    lower = std::max(lower, deltas[k].lower);
  }
}

void power_by_deltas(const Saddlepoint& saddlepoint, CurvePoints& curve, std::span<const double> fprs, double tolerance,
                     const AllowedWidth& allowed, std::span<Answer> answers) {
  PowerSearch(saddlepoint, curve, fprs, tolerance, allowed, answers).solve();
}

}  // namespace hockeystick
