// SPDX-License-Identifier: Apache-2.0
#include "views/curve_points.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "methods/budgeted.hpp"
#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/work.hpp"

namespace hockeystick {
namespace {

// The most memory of a point [bytes]: where one point takes more, other points bound the answer as well. With 16 MiB
// arrays of tails are refused where steps have atoms; without a limit arrays of mu take 20 s.
constexpr std::size_t most_memory = 1 << 26;

constexpr double tiny = 1e-307;  // more than any product of two doubles loses to underflow

// The sums h(alpha) + alpha fpr at the points.
struct Sums {
  std::span<const CurvePoint> points;
  double fpr;

  double upper(std::size_t k) const {
    // proof: power-chords
    return (points[k].value.upper + points[k].alpha.upper * fpr) * (1 + 4 * u) + tiny;
  }
  double lower(std::size_t k) const { return lower(k, k); }
  // h at one point, and alpha at another.
  double lower(std::size_t at, std::size_t from) const {
    // proof: power-chords
    return (points[at].value.lower + points[from].alpha.lower * fpr) * (1 - 4 * u) - tiny;
  }

  // How much the chord from `beyond` to `near` may fall when it is prolonged from `near` to `far`, on its other side.
  double drop(std::size_t beyond, std::size_t near, std::size_t far) const {
    const auto apart = [&](std::size_t a, std::size_t b) {
      const Interval &low = points[std::min(a, b)].alpha, &high = points[std::max(a, b)].alpha;
      return Interval{high.lower - low.upper, high.upper - low.lower};
    };
    const double rise = upper(beyond) - lower(near), base = apart(beyond, near).lower;
    if (!(rise > 0)) return 0;
    return base > 0 ? rise * (apart(near, far).upper / base) * (1 + 8 * u) : infinity;  // proof: power-chords
  }

  // A lower bound of the sum between point k and the next.
  double least_after(std::size_t k) const {
    const double left = lower(k), right = lower(k + 1);
    const double by_left = k > 0 ? drop(k - 1, k, k + 1) : infinity;
    const double by_right = k + 2 < points.size() ? drop(k + 2, k + 1, k) : infinity;
    // The first chord bounds the sum to the left of any place, the second one to its right; the best place is where
    // both are equal.
    double share = 0.5;
    if (by_left == infinity || by_right == infinity)
      share = by_left == infinity ? 0 : 1;
    else if (by_left + by_right > 0)
      share = std::clamp((left - right + by_right) / (by_left + by_right), 0.0, 1.0);
    const auto at = [](double end, double drop, double part) {
      return part > 0 ? end - drop * part * (1 + 8 * u) - 4 * u * std::fabs(end) : end;  // proof: power-chords
    };
    const double by_chords = std::min(at(left, by_left, share), at(right, by_right, 1 - share));
    return std::max(by_chords, lower(k + 1, k));  // proof: power-chords
  }
};

// The pairs in the other order; none if the reverse of one of them is not known.
std::optional<Direction> in_reverse(const Direction& direction) {
  Direction reverse;
  for (const auto& [pair, count] : direction) {
    reverse.push_back({pair->reverse(), count});
    if (!reverse.back().pair) return {};
  }
  return reverse;
}

std::vector<Answer> unknown(std::size_t points) {
  Answer answer = enclosed({0, 1}, {});
  answer.limited_by = "passes";
  return std::vector(points, answer);
}

}  // namespace

// h(alpha) = 1 - alpha (1 - h'(1 / alpha)), h' the curve of the reverse.
CurvePoint curve_point(double loss, const Interval& delta) {
  const double power = math::exp(loss);
  const Interval alpha{power * (1 - 6 * u), power * (1 + 6 * u)};  // proof: power-chords
  if (loss >= 0) return {loss, alpha, delta};
  const double least = alpha.lower * (1 - delta.upper) * (1 - 4 * u);        // proof: power-chords
  const double most = alpha.upper * (1 - delta.lower) * (1 + 4 * u) + tiny;  // proof: power-chords
  return {loss, alpha, {std::max(0.0, down(1 - most)), std::min(1.0, up(1 - least))}};
}

PowerBetween power_between(std::span<const CurvePoint> points, double fpr, std::size_t near) {
  if (points.empty()) return {{0, 1}, 0, false, false};
  const Sums sums{points, fpr};
  const std::size_t size = points.size();
  std::size_t best = std::min(near, size - 1);
  double least = sums.upper(best);
  const auto improve = [&](std::size_t k) {
    const double value = sums.upper(k);
    if (!(value < least)) return false;
    best = k, least = value;
    return true;
  };
  while (best + 1 < size && improve(best + 1)) {
  }
  while (best > 0 && improve(best - 1)) {
  }
  // Beyond a point where a convex function is no smaller than at `best`, it is no smaller either.
  std::size_t last = best, first = best;
  bool above = false, below = false;
  for (; !above && last + 1 < size; improve(last)) above = sums.lower(++last) >= least;  // proof: power-chords
  for (; !below && first > 0; improve(first)) below = sums.lower(--first) >= least;      // proof: power-chords
  double floor = least;
  std::size_t weakest = best;
  for (std::size_t k = first; k < last; ++k)
    if (const double here = sums.least_after(k); here < floor) floor = here, weakest = k;
  // h falls, so that the sum is at least h at the first point for all alphas below, and alpha fpr of the last above.
  const double before = points.front().value.lower;                     // proof: power-chords
  const double behind = points.back().alpha.lower * fpr * (1 - 4 * u);  // proof: power-chords
  below = below || before > floor, above = above || behind > floor;
  if (!below) floor = std::min(floor, before);
  if (!above) floor = std::min(floor, behind);
  return {{std::max(0.0, floor), std::min(1.0, least)}, best, below, above, weakest};
}

Answer settled(const Interval& bounds, const AllowedWidth& allowed) {
  Answer answer;
  answer.lower = bounds.lower, answer.upper = bounds.upper;
  const double width = answer.upper - answer.lower;
  answer.converged = answer.lower == answer.upper || (width <= allowed(answer) && std::isfinite(width));
  if (!answer.converged) answer.limited_by = "rounding";
  return answer;
}

CurvePoints::CurvePoints(const Direction& direction, const Direction* reverse, const Limits& limits, double farthest)
    : limits_(limits), farthest_(farthest) {
  deltas_ = [&direction, reverse, ahead = KeptCurve(direction), behind = std::optional<KeptCurve>()](
                bool of_reverse, std::span<const double> epsilons, const Limits& how) mutable {
    if (of_reverse && !behind) {
      const std::optional<Direction> known = reverse ? *reverse : in_reverse(direction);
      if (!known) return unknown(epsilons.size());
      behind.emplace(*known);
    }
    return within_memory({}, epsilons, how, {0, 1}, [&](auto at, const Limits& within) {
      return (of_reverse ? *behind : ahead).deltas(at, within);
    });
  };
}

bool CurvePoints::ask(std::vector<WantedPoint> wanted) {
  std::erase_if(wanted, [&](const WantedPoint& at) { return !(std::fabs(at.loss) <= farthest_); });
  sort_by(wanted, &WantedPoint::tolerance);
  sort_by(wanted, &WantedPoint::loss);  // the sort keeps the order of equal losses
  const auto again = [](const WantedPoint& a, const WantedPoint& b) { return a.loss == b.loss; };
  wanted.erase(std::unique(wanted.begin(), wanted.end(), again), wanted.end());
  sort_by(wanted, &WantedPoint::tolerance);
  std::vector<WantedPoint> ahead, behind;
  for (const WantedPoint& at : wanted) (at.loss < 0 ? behind : ahead).push_back(at);
  std::size_t found = 0;
  {
    const WorkLimit work(work_left_);
    const double given = WorkLimit::left();
    found = ask(1, ahead) + ask(-1, behind);
    work_left_ -= given - WorkLimit::left();
  }
  sort_by(points_, &CurvePoint::loss);
  std::size_t kept = 0;
  for (const CurvePoint& at : points_) {
    if (kept > 0 && points_[kept - 1].loss == at.loss)
      points_[kept - 1].value = both(points_[kept - 1].value, at.value), points_[kept - 1].refused = at.refused;
    else
      points_[kept++] = at;
  }
  points_.resize(kept);
  // The curve falls: no point is above one before, nor below one behind.
  for (std::size_t k = 1; k < kept; ++k)
    points_[k].value.upper = std::min(points_[k].value.upper, points_[k - 1].value.upper);  // proof: power-chords
  for (std::size_t k = kept; k > 1; --k)
    points_[k - 2].value.lower =
        std::max(points_[k - 2].value.lower, points_[k - 1].value.lower);  // proof: power-chords
  return 2 * found > wanted.size();
}

double CurvePoints::fall(double from, double to) {
  if (!ask({{from, rough_tolerance}, {to, rough_tolerance}})) return 0;
  const auto log_at = [this](double loss) {
    const auto at = std::find_if(points_.begin(), points_.end(), [=](const CurvePoint& p) { return p.loss == loss; });
    return math::log(at->value.lower / 2 + at->value.upper / 2);
  };
  const double fallen = log_at(from) - log_at(to);
  return fallen > 2 * rough_tolerance && fallen < infinity ? fallen / (to - from) : 0;
}

// Asks the direction whose losses are these times `sign`, by rising tolerance; returns the number of points that are as
// close as wanted.
std::size_t CurvePoints::ask(int sign, std::span<WantedPoint> wanted) {
  std::size_t found = 0;
  // The width of the curve that is enough: the curve is e^loss times a delta of the reverse.
  const auto enough_at = [sign](const WantedPoint& at) { return at.enough * (sign < 0 ? math::exp(-at.loss) : 1); };
  std::vector<double> epsilons;
  for (auto from = wanted.begin(); from != wanted.end() && WorkLimit::left() > 0;) {
    checkpoint();
    const double tolerance = from->tolerance;
    double enough = enough_at(*from);
    const auto to = std::find_if(from, wanted.end(), [&](const auto& at) { return at.tolerance > alike * tolerance; });
    epsilons.clear();
    for (; from != to; ++from) epsilons.push_back(sign * from->loss), enough = std::min(enough, enough_at(*from));
    const std::vector<Answer> deltas = deltas_(
        sign < 0, epsilons, {tolerance, std::min(limits_.memory_limit, most_memory), {}, limits_.smallest, enough});
    for (std::size_t k = 0; k < deltas.size(); ++k) {
      const CurvePoint point = curve_point(sign * epsilons[k], {deltas[k].lower, deltas[k].upper});
      found += take(point, deltas[k]) ? 1 : 0;
    }
  }
  return found;
}

// Takes a point; returns whether the curve there is as close as wanted.
bool CurvePoints::take(CurvePoint point, const Answer& found) {
  if (!found.converged) {
    point.refused = found.upper > 0 ? (found.upper - found.lower) / found.upper : 0;
    // More memory helps where a point took all that the user allows; otherwise a point's own limit applies.
    const bool is_memory = found.limited_by == "memory_limit" && found.required_bytes > limits_.memory_limit;
    if (is_memory)
      limited_by_ = found.limited_by, required_bytes_ = found.required_bytes;
    else if (limited_by_ != "memory_limit" && found.limited_by != "memory_limit")
      limited_by_ = found.limited_by;
  }
  points_.push_back(point);
  return found.converged;
}

}  // namespace hockeystick
