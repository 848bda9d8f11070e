// SPDX-License-Identifier: Apache-2.0
#include "views/quantile_by_deltas.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "methods/questions.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/tuning.hpp"
#include "pld/loss_tail.hpp"

namespace hockeystick {
namespace {

constexpr double first_part = 0.05, first_tolerance = 1e-3;  // of a deviation; of delta, for a first look
// Points near a guess are apart by this part of the gap between two known slopes, and by at least this part of the
// allowed width: two of them and a middle one then enclose the quantile.
constexpr double part_of_gap = 0.1, part_of_width = 0.45;
constexpr double most_for_deviations = 2e7;  // work [ns] after which widths count in distances of the tail's fall

// The search for one quantile, among others that share its points.
class QuantileSearch {
 public:
  QuantileSearch(const CurvePoints& curve, double deviation, const SoughtQuantile& sought)
      : curve_(curve), tail_(sought.tail), deviation_(deviation), tolerance_(sought.tolerance) {
    const auto [from, to] = sought.about;
    const double reach = std::max((to - from) / 2, 3 * first_part * deviation_);
    // Deltas far below those next to the quantile do not narrow it.
    enough_ = 1e-3 * curve.finest() * std::min(tail_.lower, 1 - tail_.upper) * std::min(1.0, reach);
    for (const double k : {-3, -1, 1, 3}) add(from / 2 + to / 2 + k / 3 * reach, first_tolerance);
  }

  bool is_open() const { return is_open_; }
  FoundQuantile found() const {
    return {found_, found_.upper - found_.lower <= tolerance_ * std::max(deviation_, scale_)};
  }
  std::vector<WantedPoint> wanted() { return std::exchange(wanted_, {}); }
  // The work that the next points may take. Where the tail falls slowly, the width need not be one in deviations.
  double most_work() const {
    const bool may_be_wider = curve_.closes() && scale_ > deviation_ && !is_dear_;
    return may_be_wider ? most_for_deviations : infinity;
  }

  // Takes the points and wants more of them. `is_served`: whether the points that it wanted are known.
  void take(const KnownCurve& known, const TailsAt& tails, bool is_served) {
    if (!is_served && most_work() < infinity) is_dear_ = is_served = true;
    is_dear_ = is_dear_ || WorkLimit::taken() - taken_before_ > most_for_deviations;
    const Interval last = std::exchange(found_, known.quantile(tails, tail_.lower, tail_.upper));
    const double width = found_.upper - found_.lower, before = last.upper - last.lower;
    is_slow_ = std::isfinite(width) && width > 0.5 * before;
    if (curve_.closes()) scale_ = scale_of(known, tails);
    const bool is_stuck = std::isfinite(width) && width > 0.8 * before;
    if (!curve_.closes())
      failed_ = is_stuck ? most_failed : 0;
    else if (!is_served || (is_stuck && std::exchange(is_limited_, false)))
      ++failed_;
    if (known.points.size() == size_) ++failed_, for_delta_ *= 0.1;  // the same points, to a closer tolerance
    size_ = known.points.size();
    is_open_ = !(width <= allowed()) && failed_ < most_failed && !known.points.empty();
    if (!is_open_) return;
    if (curve_.closes())
      next(known, tails);
    else
      next_to_ends(known.points);
  }

 private:
  // A guess, by the slopes between points, of the loss whose tail is the one wanted.
  void next(const KnownCurve& known, const TailsAt& tails) {
    const std::span<const CurvePoint> points = known.points;
    if (is_slow_ && std::isfinite(found_.lower) && std::isfinite(found_.upper))
      return between(points, known.slope_at(tails, found_.lower), known.slope_at(tails, found_.upper));
    const std::vector<Slope> slopes = slopes_of(points);
    const double reach = 2 * std::max(points.back().loss - points.front().loss, first_part * deviation_);
    const auto at = std::find_if(slopes.begin(), slopes.end(), [&](const Slope& s) { return s.tail <= tail_.lower; });
    const double front = points.front().loss, back = points.back().loss;
    if (slopes.empty() || at == slopes.begin()) {
      const bool is_least = front <= curve_.least() && points.size() > 1;
      const double from = is_least ? front : front - reach, to = is_least ? points[1].loss : front;
      for (const double part : {0.1, 0.4, 0.7}) add(to - part * (to - from), first_tolerance);
      return;
    }
    if (at == slopes.end()) {
      for (const double part : {0.1, 0.4, 1.0}) add(back + part * reach, first_tolerance);
      return;
    }
    between(points, at[-1], *at);
  }

  // For a curve that does not belong to one pair, points next to either end are wanted: points further in do not move
  // the ends.
  void next_to_ends(std::span<const CurvePoint> points) {
    const double reach = std::max(points.back().loss - points.front().loss, first_part * deviation_);
    const auto at = [&](double loss) {
      return std::lower_bound(points.begin(), points.end(), loss,
                              [](const CurvePoint& p, double x) { return p.loss < x; });
    };
    const auto add_thirds = [&](double from, double to) {
      for (const double part : {1.0 / 3, 2.0 / 3}) add(from + part * (to - from), 0);
    };
    if (found_.lower == -infinity)
      add(points.front().loss - reach, 0);
    else if (const auto next = at(found_.lower) + 1; next != points.end())
      add_thirds(found_.lower, next->loss);
    if (found_.upper == infinity)
      add(points.back().loss + reach, 0);
    else if (const auto next = at(found_.upper); next != points.begin())
      add_thirds(next[-1].loss, found_.upper);
  }

  // About the distance over which the tail falls by a factor of e, between the closest points at which the tail is
  // clearly larger and smaller than the one wanted.
  double scale_of(const KnownCurve& known, const TailsAt& tails) const {
    const auto log_odds = [](double tail) { return math::log(tail / (1 - tail)); };
    const double larger = log_odds(tail_.lower) + 0.1, smaller = larger - 0.2;
    const std::span<const CurvePoint> points = known.points;
    const auto right = std::find_if(tails.begin(), tails.end(),
                                    [&](const Interval& at) { return at.upper < 1 && log_odds(at.upper) < smaller; });
    auto left = right;
    while (left != tails.begin() && !(left[-1].lower < 1 && log_odds(left[-1].lower) > larger)) --left;
    if (right == tails.end() || left == tails.begin()) return 0;
    const double fallen = log_odds(left[-1].lower) - log_odds(right->upper);
    return (points[right - tails.begin()].loss - points[left - tails.begin() - 1].loss) / fallen;
  }

  double allowed() const { return tolerance_ * (is_dear_ ? std::max(deviation_, scale_) : deviation_); }

  void between(std::span<const CurvePoint> points, const Slope& left, const Slope& right) {
    const double gap = right.loss - left.loss;
    double share = (left.tail - tail_.lower) / (left.tail - right.tail);
    if (right.tail > 0.01 * left.tail) share = math::log(left.tail / tail_.lower) / math::log(left.tail / right.tail);
    if (is_slow_) share = 0.5;
    const double middle = left.loss + std::clamp(share, 0.02, 0.98) * gap, density = (left.tail - right.tail) / gap;
    // The distance is at least that at which deltas distinguish tails.
    const CurvePoint& near = before(points, middle);
    const double off = std::min(curve_.finest() * size_of(near), near.value.upper - near.value.lower);
    const double least = density > 0 ? std::sqrt(2 * off / density) : 0;
    const double apart = std::max({part_of_gap * gap, part_of_width * allowed(), least});
    const double change = density * std::min(gap, apart);
    for (const double k : {-1, 0, 1}) want(points, middle + k * apart, change, apart);
  }

  // The last point before a loss, or the first one.
  static const CurvePoint& before(std::span<const CurvePoint> points, double loss) {
    const auto near = std::find_if(points.begin(), points.end(), [=](const CurvePoint& p) { return p.loss >= loss; });
    return near == points.begin() ? *near : near[-1];
  }

  // The tolerance of deltas whose slopes show a change of the tail between points.
  void want(std::span<const CurvePoint> points, double loss, double change, double apart) {
    const CurvePoint& near = before(points, loss);
    const double width = for_delta_ * change * -math::expm1(-apart);
    const double tolerance = width / std::max(size_of(near), loss < 0 ? 1e-3 * (1 - near.alpha.lower) : 0);
    is_limited_ = is_limited_ || tolerance < curve_.finest();
    add(loss, std::min(tolerance, most_tolerance), width);
  }

  void add(double loss, double tolerance, double enough = 0) {
    wanted_.push_back(
        {std::max(loss, curve_.least()), std::max(tolerance, curve_.finest()), std::max(enough, enough_)});
  }

  static std::vector<Slope> slopes_of(std::span<const CurvePoint> points) {
    std::vector<Slope> slopes;
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      const CurvePoint &a = points[k], &b = points[k + 1];
      const double away = a.loss - b.loss, fall = -math::expm1(away), middle = b.value.lower / 2 + b.value.upper / 2;
      const double tail = (a.value.lower / 2 + a.value.upper / 2 - math::exp(away) * middle) / fall;
      const double last = slopes.empty() ? 1.0 : slopes.back().tail;
      slopes.push_back({a.loss - away / 2, std::clamp(tail, 0.0, last)});
    }
    return slopes;
  }

  const CurvePoints& curve_;
  Interval tail_;
  double deviation_, tolerance_, enough_;
  double taken_before_ = WorkLimit::taken();
  bool is_dear_ = false;  // whether a width in deviations takes more work than it may
  double scale_ = 0;      // about the distance over which the tail falls by a factor of e
  Interval found_{-infinity, infinity};
  std::vector<WantedPoint> wanted_;
  int failed_ = 0;  // rounds that knew less than half of the points they wanted
  bool is_open_ = true, is_slow_ = false, is_limited_ = false;
  double for_delta_ = 0.1;  // part of the change of the tail from point to point
  std::size_t size_ = 0;    // number of points known before
};

// Whether at least half of these points are known as closely as wanted.
bool is_served(std::span<const CurvePoint> points, std::span<const WantedPoint> wanted) {
  std::size_t served = 0;
  for (const WantedPoint& each : wanted) {
    const auto at =
        std::find_if(points.begin(), points.end(), [&](const CurvePoint& p) { return p.loss == each.loss; });
    served += at != points.end() && at->refused == 0 ? 1 : 0;
  }
  return 2 * served > wanted.size();
}

}  // namespace

KnownCurve::KnownCurve(const CurvePoints& curve) : points(curve.points()), closes(curve.closes()) {
  for (const CurvePoint& point : points) kinks.loss.push_back(point.loss), kinks.value.push_back(point.value.upper);
}

// A curve of one pair is bounded by chords between both ends. Otherwise no pair below the upper end has a larger tail
// than the chord to the place where its curve may be 0.
Interval KnownCurve::tail(std::size_t k) const {
  const Interval ends = loss_tail(kinks, points[k].value.lower, points[k].loss);
  if (closes) return ends;
  return {ends.lower, loss_tail(kinks, 0, points[k].loss).upper};  // proof: loss-tail-chords
}

TailsAt KnownCurve::tails() const {
  TailsAt tails;
  for (std::size_t k = 0; k < points.size(); ++k) tails.push_back(tail(k));
  return tails;
}

Slope KnownCurve::slope_at(const TailsAt& tails, double loss) const {
  const auto k =
      static_cast<std::size_t>(std::lower_bound(kinks.loss.begin(), kinks.loss.end(), loss) - kinks.loss.begin());
  return {loss, k > 0 ? tails[k].lower / 2 + tails[k].upper / 2 : tails[k].lower};
}

// P(L > t) falls, so that every point is certified.
Interval KnownCurve::quantile(const TailsAt& tails, double least, double most) const {
  Interval found{-infinity, infinity};
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Interval& at = tails[k];
    if (at.lower > most) found.lower = points[k].loss;                           // proof: loss-tail-chords
    if (at.upper <= least) found.upper = std::min(found.upper, points[k].loss);  // proof: loss-tail-chords
  }
  return found;
}

// delta <= P(L > t), which is at most delta(t - x) / (1 - e^-x).
Interval likely_quantile(const Direction& direction, double tail, double about, double deviation,
                         std::size_t memory_limit) {
  const double x = std::min(deviation, 1.0), delta = tail * -math::expm1(-x);
  if (!(tail <= 0.5) || !(delta > smallest_delta)) return {about, about};
  const WorkLimit work(5 * tuning::cheap);  // a guess that costs more than the first points saves nothing
  const std::vector<Answer> found =
      epsilon_bounds({&direction, 1}, std::array{tail, delta}, {rough_tolerance, memory_limit});
  const double least = found.front().lower, most = found.back().upper - math::log1p(-delta / tail);
  const bool is_outside = about < least || about > most;
  return is_outside && std::isfinite(most) ? Interval{least, std::max(least, most)} : Interval{about, about};
}

std::vector<FoundQuantile> quantiles_by_deltas(CurvePoints& curve, double deviation,
                                               std::span<const SoughtQuantile> sought) {
  std::vector<QuantileSearch> searches;
  for (const SoughtQuantile& each : sought) searches.emplace_back(curve, deviation, each);
  for (int round = 0; round < most_rounds; ++round) {
    checkpoint();
    std::vector<std::pair<QuantileSearch*, std::vector<WantedPoint>>> open;
    std::vector<WantedPoint> wanted;
    double most_work = 0;
    for (QuantileSearch& search : searches) {
      if (!search.is_open()) continue;
      most_work += search.most_work();
      open.emplace_back(&search, search.wanted());
      wanted.insert(wanted.end(), open.back().second.begin(), open.back().second.end());
    }
    if (open.empty()) break;
    {
      const WorkLimit work(most_work);
      curve.ask(std::move(wanted));
    }
    const KnownCurve known(curve);
    const TailsAt tails = known.tails();
    for (const auto& [search, asked] : open) search->take(known, tails, is_served(known.points, asked));
  }
  std::vector<FoundQuantile> found;
  for (const QuantileSearch& search : searches) found.push_back(search.found());
  return found;
}

}  // namespace hockeystick
