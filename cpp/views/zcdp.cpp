// SPDX-License-Identifier: Apache-2.0
#include "views/zcdp.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <string_view>

#include "numeric/interval.hpp"
#include "numeric/outward.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/renyi.hpp"

namespace hockeystick {
namespace {

// The relative width that the orders between those looked at may cost an explicit distribution.
constexpr double precision = 1e-3;

// Divergences below this are not enclosed more closely: the masses behind them are known to 1e-300 alone.
constexpr double least_told = 1e-290;

// Upper bound of chord(t) / (t (t + 1)) for t in [from, to], the chord between K(from) <= first and K(to) <= last.
// chord(t) / t is monotone.
double chord_slope(double from, double to, double first, double last) {
  constexpr int parts = 512;
  double highest = 0, low = from, divergence = first / from;
  for (int i = 1; i <= parts; ++i) {
    const double high = from + (to - from) * i / parts;
    const double next = (last * i / parts + first * (parts - i) / parts) / high;
    highest = std::max(highest, std::max(divergence, next) / (low + 1));
    low = high;
    divergence = next;
  }
  return highest * (1 + 64 * u) + 4 * smallest_subnormal;  // proof: zcdp
}

// Upper bound of D_a / a between two orders, of at least `steps` steps of each pair, K(t) <= moment at the end that it
// is asked at: S(a) = sum of (E_Q[(P/Q)^a] - 1) / (a (a - 1)) over the steps is log-convex, so at most the larger of
// its values at the ends, and at least D_a / a. The moment of a step is at most the one of all over their number.
double convex_slope(double t, double moment, double steps) {
  const double one = moment / steps * (1 + 4 * u);
  const double above = one > 1e-8 ? math::expm1(one) / one : 1 + one;
  return moment / (t * (t + 1)) * above * (1 + 16 * u) + 4 * smallest_subnormal;  // proof: zcdp
}

// Branch and bound over t = order - 1: evaluates orders near the largest slope only.
class SlopeSearch {
 public:
  using Renyi = std::function<Answer(double order)>;
  using Beyond = std::function<Interval(double order)>;

  SlopeSearch(const Renyi& renyi, double lower, double tolerance, double steps)
      : renyi_(renyi), lower_(lower), tolerance_(tolerance), steps_(steps) {}

  /// Upper bound over 0 < t <= last, or over all t if there are bounds beyond `last`.
  double run(double last, const Beyond& beyond) {
    const double first = std::min(0.3 * tolerance_, last / 2);
    Point before = at(first, beyond);
    // Up to the first order: K(t) <= K(t1) t / t1.
    double highest = outward::quotient(before.moment, before.t, true);  // proof: zcdp
    while (before.t < last) {
      const Point next = at(within(before.t, last, 4 * before.t), beyond);
      if (!next.converged && beyond) {
        const double known = std::max(lower_, 0.99 * beyond(1 + next.t).upper);
        if (!(next.moment <= known * next.t * (next.t + 1))) break;  // the bounds beyond take over
      }
      if (!std::isfinite(next.moment)) return infinity;
      spans_.push(between(before, next));
      before = next;
      if (beyond && !(before.t < last)) last = enough(last, beyond);
    }
    if (beyond) highest = std::max(highest, beyond(1 + before.t).upper);
    while (!spans_.empty() && looked_at_ < most_orders) {
      const Span widest = spans_.top();
      if (widest.slope - lower_ <= tolerance_ * widest.slope) break;
      if (widest.slope <= reached_ * (1 + 0.1 * tolerance_)) break;  // the divergences themselves are not known better
      const double middle = within(widest.from.t, widest.to.t, (1 + std::sqrt(widest.from.t * widest.to.t)) - 1);
      if (!(widest.from.t < middle && middle < widest.to.t)) break;
      const Point inner = at(middle, beyond);
      if (!(inner.moment < infinity)) break;  // beyond the work of one question
      spans_.pop();
      spans_.push(between(widest.from, inner));
      spans_.push(between(inner, widest.to));
    }
    return spans_.empty() ? highest : std::max(highest, spans_.top().slope);
  }

  double lower() const { return lower_; }
  std::string_view limited_by() const { return obstacle_; }

 private:
  static constexpr int most_orders = 1 << 14;
  static constexpr double farthest = 0x1p40;

  // About t, and at most `to`: a whole number between both, as allocations know whole orders best, or t.
  static double within(double from, double to, double t) {
    const double whole = std::round(t);
    return std::min(to, from < whole && whole < to ? whole : t);
  }

  // The first t beyond which no slope exceeds the largest known one by much; the present end if that t is too far.
  double enough(double last, const Beyond& beyond) const {
    for (double t = last; t < farthest; t *= 4)
      if (beyond(1 + t).upper <= lower_ * (1 + 0.5 * tolerance_)) return t;
    return last;
  }

  struct Point {
    double t, moment;  // K(t) <= moment
    bool converged;
  };

  struct Span {
    bool operator<(const Span& other) const { return slope < other.slope; }
    Point from, to;
    double slope;
  };

  Span between(const Point& left, const Point& right) const {
    double slope = infinity;
    if (steps_ > 0)
      slope = std::max(convex_slope(left.t, left.moment, steps_), convex_slope(right.t, right.moment, steps_));
    if (slope * (1 - tolerance_) > lower_)
      slope = std::min(slope, chord_slope(left.t, right.t, left.moment, right.moment));
    return {left, right, slope};
  }

  Point at(double about, const Beyond& beyond) {
    checkpoint();
    ++looked_at_;
    const double order = std::max(1 + about, 1 + 2 * u), t = order - 1;  // exact
    const Answer answer = renyi_(order);
    if (!answer.converged) obstacle_ = answer.limited_by;
    lower_ = std::max(lower_, outward::quotient(answer.lower, order, false));  // proof: zcdp
    double upper = answer.upper;
    // proof: zcdp
    if (!answer.converged && beyond) upper = std::min(upper, outward::product(order, beyond(order).upper, true));
    reached_ = std::max(reached_, upper / order);
    return {t, outward::product(upper, t, true), answer.converged};  // proof: zcdp
  }

  const Renyi& renyi_;
  double lower_, reached_ = 0, tolerance_, steps_;
  std::priority_queue<Span> spans_;
  std::string_view obstacle_;
  int looked_at_ = 0;
};

}  // namespace

bool is_within(const Answer& answer, double tolerance) {
  if (!std::isfinite(answer.upper)) return answer.lower == answer.upper;
  return answer.upper - answer.lower <= tolerance * answer.upper || answer.upper <= least_told;
}

Answer largest_renyi_slope(const std::function<Answer(double order)>& renyi,
                           const std::function<Interval(double order)>& beyond, double largest, double tolerance,
                           double known, double steps) {
  Answer answer;
  answer.lower = known;
  const Interval everywhere = beyond(1);
  answer.upper = everywhere.upper;
  const bool finite = std::isfinite(largest);
  if (!finite) answer.lower = std::max(known, everywhere.lower);
  if (is_within(answer, tolerance)) return answer;
  SlopeSearch search(renyi, answer.lower, tolerance, steps);
  const double upper = search.run(finite ? largest - 1 : 63, finite ? nullptr : beyond);
  answer.lower = search.lower();
  answer.upper = std::min(answer.upper, upper);
  answer.converged = is_within(answer, tolerance);
  if (answer.converged) return answer;
  answer.limited_by = search.limited_by().empty() ? "passes" : search.limited_by();
  return answer;
}

// Both ends are the certified one; only the end on the distribution's side has a meaning.
double largest_renyi_slope(const LossPmf& pmf, double largest) {
  const Divergences divergences(pmf);
  const bool upper = pmf.side == Side::upper;
  const auto renyi = [&](double order) {
    Answer answer;
    answer.lower = answer.upper = divergences.renyi(order);
    return answer;
  };
  const auto beyond = [&](double order) {
    return Interval{0, upper ? divergences.largest_loss() / order * (1 + 4 * u) : infinity};
  };
  const Answer answer = largest_renyi_slope(renyi, beyond, largest, precision, 0, 0);
  return upper ? answer.upper : answer.lower;
}

}  // namespace hockeystick
