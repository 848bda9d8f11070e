// SPDX-License-Identifier: Apache-2.0
#include "run/loss_by_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "pld/loss_tail.hpp"
#include "views/curve_points.hpp"
#include "views/loss_laws.hpp"
#include "views/quantile_by_deltas.hpp"

namespace hockeystick {
namespace {

constexpr double first_part = 16;  // a loss in parts of which a second delta tells how fast the curve falls
constexpr int points_a_round = 8;  // between the ends of a quantile

// The curve at the losses asked so far, from above and from below.
class Curve {
 public:
  explicit Curve(const CurveOfLoss& of, bool roughly = false) : of_(of), roughly_(roughly) {}

  void ask(std::span<const double> losses, double smallest = 0) {
    for (const bool is_negative : {false, true}) {
      std::vector<double> epsilons;
      for (const double loss : losses)
        if ((loss < 0) == is_negative && std::fabs(loss) <= ranges::epsilon.high && !is_known(loss))
          epsilons.push_back(std::fabs(loss));
      sort_by(epsilons, [](double epsilon) { return epsilon; });
      epsilons.erase(std::unique(epsilons.begin(), epsilons.end()), epsilons.end());
      if (epsilons.empty()) continue;
      const std::vector<Answer> found = of_.deltas(is_negative, epsilons, roughly_, smallest);
      for (std::size_t k = 0; k < found.size(); ++k) {
        const double loss = is_negative ? -epsilons[k] : epsilons[k];
        points_.push_back(curve_point(loss, {std::max(0.0, found[k].lower), std::min(1.0, found[k].upper)}));
        is_short_ = is_short_ || found[k].limited_by == "memory_limit";
      }
    }
    sort_by(points_, &CurvePoint::loss);
  }

  const CurvePoint& at(double loss) const { return *find(loss); }
  bool is_known(double loss) const { return find(loss) != points_.end(); }
  Interval tail(double loss) const {
    const auto at = find(loss);
    return at != points_.end() ? tail(KnownCurve(points_), at - points_.begin()) : Interval{0, 1};
  }
  Interval quantile(const Interval& rest) const {
    const KnownCurve known(points_);
    TailsAt tails;
    for (std::size_t k = 0; k < points_.size(); ++k) tails.push_back(tail(known, k));
    return known.quantile(tails, rest.lower, rest.upper);
  }

  // The answer within these ends.
  Answer answer(const Interval& ends, bool is_close) const {
    Answer answer = enclosed(ends, {});
    answer.converged = is_close || ends.lower == ends.upper;
    if (!answer.converged) answer.limited_by = is_short_ ? "memory_limit" : "theory";
    return answer;
  }

 private:
  // No pair below the upper curve has more of a tail than a chord to where its curve may be 0.
  Interval tail(const KnownCurve& known, std::size_t k) const {
    const Interval ends = known.tail(k);
    if (of_.closes) return ends;
    return {ends.lower, loss_tail(known.kinks, 0, points_[k].loss).upper};  // proof: loss-tail-chords
  }

  std::vector<CurvePoint>::const_iterator find(double loss) const {
    return std::find_if(points_.begin(), points_.end(), [=](const CurvePoint& point) { return point.loss == loss; });
  }

  const CurveOfLoss& of_;
  bool roughly_;
  std::vector<CurvePoint> points_;
  bool is_short_ = false;  // of memory
};

double middle_of(const Interval& ends) { return ends.lower / 2 + ends.upper / 2; }

// A second loss so near that delta falls by less than a factor e, and how fast delta falls from one to the other.
class Fall {
 public:
  explicit Fall(double loss) : loss_(loss), away_(std::max(loss, 1.0) / first_part) {}

  double beyond() const { return loss_ + away_; }
  bool is_open() const { return is_open_; }
  double rate() const { return rate_; }

  void take(const Curve& curve) {
    const double here = middle_of(curve.at(loss_).value), there = middle_of(curve.at(beyond()).value);
    const double fallen = std::clamp(math::log(std::max(here, 1e-307) / std::max(there, 1e-307)), 0.0, 700.0);
    is_open_ = fallen > 1;
    rate_ = fallen / away_;
    if (is_open_) away_ /= std::clamp(2 * fallen, 4.0, 64.0);
  }

 private:
  double loss_, away_, rate_ = 0;
  bool is_open_ = true;
};

// Where the t with P(L > t) = tail may lie: delta(t) <= P(L > t) <= delta(t - x) / (1 - e^-x). The lower end is
// certified, and infinite where delta stays above the tail.
Interval likely_ends(const CurveOfLoss& of, const Interval& tail) {
  const std::vector<Answer> rough = of.epsilons(std::array{tail.upper, tail.lower / 16});  // proof: loss-tail-chords
  Interval ends{rough[0].lower, ranges::epsilon.high};
  if (ends.lower == infinity) return {infinity, infinity};
  // Part of the tail may be infinite losses, of which delta has as much; a pair that is not known may have fewer.
  const bool is_lost = rough[1].upper == infinity;
  const double lost = is_lost ? of.deltas(false, std::array{ranges::epsilon.high}, false, 0).front().upper : 0;
  const double scale = std::clamp(is_lost ? 1 + rough[0].upper : rough[1].upper, 1e-9, ranges::epsilon.high);
  const double rest = tail.lower - lost;
  if (!(rest > 0)) return ends;
  std::vector<double> deltas;
  for (const double part : {0.0625, 0.25, 1.0}) deltas.push_back(lost + rest * -math::expm1(-part * scale));
  const std::vector<Answer> found = of.epsilons(deltas);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const double part = of.closes ? (deltas[k] - lost) / rest : deltas[k] / tail.lower;
    ends.upper = std::min(ends.upper, found[k].upper - math::log1p(-part));
  }
  if (!(ends.lower > 0)) ends.lower = -ends.upper;
  return ends;
}

}  // namespace

// Chords of length h leave h (1 + rate) of the tail, and what delta is off by 2 / (h (1 + rate)).
std::vector<Answer> tails_by_curve(const CurveOfLoss& of, std::span<const double> epsilons, const Limits& limits) {
  Curve rough(of, true), curve(of);
  std::vector<Fall> falls;
  for (const double epsilon : epsilons) falls.emplace_back(epsilon);
  std::vector<double> wanted(epsilons.begin(), epsilons.end());
  for (int round = 0; round < most_rounds; ++round) {
    for (const Fall& fall : falls)
      if (fall.is_open()) wanted.push_back(fall.beyond());
    if (wanted.empty()) break;
    rough.ask(wanted);
    wanted.clear();
    for (Fall& fall : falls)
      if (fall.is_open() && rough.is_known(fall.beyond())) fall.take(rough);
  }
  // A tail below any of interest is bounded by deltas before it, however roughly these are known.
  const auto is_lost = [&](double epsilon) { return rough.at(epsilon).value.upper <= limits.floor(); };
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    if (!is_lost(epsilons[i])) continue;
    for (const double part : {0.5, 1.0, 2.0}) wanted.push_back(epsilons[i] - part / (1 + falls[i].rate()));
    for (const double part : {0.015625, 0.0625, 0.25}) wanted.push_back((1 - part) * epsilons[i]);
  }
  rough.ask(wanted);
  const auto is_roughly_known = [&](double epsilon) {
    return is_lost(epsilon) && rough.tail(epsilon).upper <= limits.floor();
  };
  // Chords as long as suits deltas that are as close as asked, where the curves meet, and those that are not.
  wanted.clear();
  for (const double epsilon : epsilons)
    if (!is_roughly_known(epsilon)) wanted.push_back(epsilon);
  for (const bool is_last : {false, true}) {
    for (std::size_t i = 0; i < epsilons.size(); ++i) {
      if ((!is_last && !of.closes) || is_roughly_known(epsilons[i])) continue;
      const auto [lower, upper] = (is_last ? curve : rough).at(epsilons[i]).value;
      const double gap = !is_last ? of.tolerance : upper > 0 ? 1 - lower / upper : 0.5;
      if (is_last && of.closes && gap <= of.tolerance) continue;
      const double length = std::sqrt(2 * std::clamp(gap, of.tolerance, 0.5)) / (1 + falls[i].rate());
      const double before = of.closes ? length : 1 / (1 + falls[i].rate());
      for (const double part : {0.5, 1.0, 2.0, 4.0}) {
        wanted.push_back(epsilons[i] - part * before);
        wanted.push_back(epsilons[i] + part * length);
      }
    }
    curve.ask(wanted);
    wanted.clear();
  }
  std::vector<Answer> answers;
  for (const double epsilon : epsilons) {
    const Interval tail = both(rough.tail(epsilon), curve.tail(epsilon));
    const bool is_tiny = tail.upper <= limits.floor();
    answers.push_back(curve.answer(tail, is_tiny || tail.upper - tail.lower <= limits.tolerance * tail.upper));
  }
  return answers;
}

std::vector<Answer> quantiles_by_curve(const CurveOfLoss& of, std::span<const double> levels, const Limits& limits) {
  Curve curve(of);
  std::vector<Answer> answers;
  for (const double level : levels) {
    const Interval tail = rest_of(level);
    Interval ends = likely_ends(of, tail);
    if (ends.lower == infinity) {
      answers.push_back(curve.answer(ends, true));
      continue;
    }
    // Deltas of far less than those next to the quantile tell nothing of it.
    const double smallest = 1e-3 * of.tolerance * std::min(tail.lower, level) * std::min(1.0, ends.upper - ends.lower);
    Interval known{-infinity, infinity};
    for (int round = 0; round < most_rounds; ++round) {
      std::vector<double> losses;
      for (int k = 0; k <= points_a_round; ++k)
        losses.push_back(ends.lower + k * (ends.upper - ends.lower) / points_a_round);
      curve.ask(losses, smallest);
      const double before = known.upper - known.lower;
      known = curve.quantile(tail);
      const double width = known.upper - known.lower;
      if (width > 0.7 * before && std::isfinite(width)) break;
      const double reach = (ends.upper - ends.lower) / 2;
      ends.upper = std::isfinite(known.upper) ? known.upper : ends.upper + reach;
      ends.lower = std::isfinite(known.lower) ? known.lower : ends.lower - reach;
    }
    answers.push_back(curve.answer(known, known.upper - known.lower <= limits.tolerance * std::fabs(known.upper)));
  }
  return answers;
}

}  // namespace hockeystick
