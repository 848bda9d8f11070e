// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/reversed_moments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int most_nodes = 4096;
constexpr double most_exponent = 200;  // s mu^2 / t: nodes reach as far as e to that
constexpr double centred_end = 4;      // the transform's own error is e^c times one of 1e-16

// The trapezoid rule in y = log x: its step, a multiple of 2^-16, and what aliases add, as a part of the integrals of
// the moduli for real x.
struct Rule {
  double step = 0, alias = 0;
};

Rule rule_for(double s, double nats) {
  Rule rule;
  double angle = 0;
  for (double turned = 1.5; turned > 1e-4; turned *= 0.9) {
    const double step = 2 * pi * turned / (nats - s * math::log(math::cos(turned)));
    if (step > rule.step) rule.step = step, angle = turned;
  }
  rule.step = std::max(std::floor(rule.step * 0x1p16), 1.0) * 0x1p-16;
  const double spread = -s * math::log(math::cos(angle)) * (1 + 8 * u),
               turns = 2 * pi * angle / rule.step * (1 - 8 * u);
  rule.alias = 2 * math::exp(spread - turns) / -math::expm1(-turns) * (1 + 1e-6);  // proof: reversed-moments
  return rule;
}

// log E e^(-c Y), c > 0, by a trapezoid rule on the real line that is close relative to itself. The integrand is e^f, f
// concave: f(v) = -v^2 / 2 - c e^(mu v - mu^2 / 2).
class LogTransform {
 public:
  LogTransform(double mu, double c) : mu_(mu), c_(c) {
    const double z = c * mu * mu * math::exp(-mu * mu / 2);
    double w = math::log1p(z);
    for (int i = 0; i < 3; ++i) w -= (w - z * math::exp(-w)) / (1 + w);
    highest_ = -w / mu;
    // E e^(-c Y) is at least e^(-c E Y) with normal variables of another mean, less their divergence.
    const double mean = highest_ + mu / 2;
    most_ = std::min(c, c * math::exp(mu * mean) + mean * mean / 2) * (1 + 1e-12);  // proof: reversed-moments
  }

  Interval log_value(double nats) const {
    const double b = std::min(std::sqrt(2 * nats / (1 + mu_ * mu_ * most_)), 1.5 / mu_), kappa = math::cos(mu_ * b);
    const double wanted = 2 * pi * b / (nats + b * b / 2 + (1 - kappa) * most_);
    const double d = std::max(std::floor(wanted * 0x1p16), 1.0) * 0x1p-16;
    // proof: reversed-moments
    const double alias = 2 * math::exp((b * b / 2 + (1 - kappa) * most_) * (1 + 1e-12)) /
                         math::expm1(2 * pi * b / d * (1 - 8 * u)) * (1 + 1e-9);
    const double middle = std::floor(highest_ / d), at_middle = size(middle * d), far = math::exp(-nats);
    const double top = exponent(middle * d, at_middle), off_at_middle = rounding(middle * d, at_middle);
    double sum = 1, off = off_at_middle, left_out = 0;
    for (const int side : {-1, 1}) {
      double beyond = infinity;
      for (int k = 1; k < most_nodes && !(beyond <= far * sum); ++k) {
        const double v = (middle + side * k) * d, here = size(v), term = math::exp(exponent(v, here) - top);
        sum += term, off = std::max(off, rounding(v, here));
        const double fall = side * (v + mu_ * here) * (1 - 1e-12);
        beyond = fall > 0 ? term / math::expm1(fall * d) * (1 + 1e-9) : infinity;  // proof: reversed-moments
      }
      left_out += beyond;
    }
    const double log_value = math::log(sum * d / std::sqrt(2 * pi)) + top;
    // proof: reversed-moments
    const double error = (off + off_at_middle + (64 + 4 * (std::fabs(log_value) + std::fabs(top))) * u) * 1.01;
    if (!(alias < 0.5)) return {-infinity, infinity};
    return {log_value - error - math::log1p(alias) * 1.01,                                    // proof: reversed-moments
            log_value + error + (math::log1p(left_out / sum) - math::log1p(-alias)) * 1.01};  // proof: reversed-moments
  }

 private:
  double size(double v) const { return c_ * math::exp(mu_ * v - mu_ * mu_ / 2); }
  static double exponent(double v, double size) { return -v * v / 2 - size; }
  double rounding(double v, double size) const {
    return (4 + v * v + size * (8 + 2 * std::fabs(mu_ * v) + 2 * mu_ * mu_)) * u;  // proof: reversed-moments
  }

  double mu_, c_, highest_, most_;
};

// log (e^a + e^b) and log (e^a - e^b).
double log_sum(double a, double b) { return std::max(a, b) + math::log1p(math::exp(-std::fabs(a - b))); }
double log_difference(double a, double b) { return b < a ? a + math::log(-math::expm1(b - a)) : -infinity; }

// log (e^v - 1), v > 0, where e^v may overflow.
double log_less_1(double v) { return v > 40 ? v : math::log(math::expm1(v)); }

// A sum of positive terms over e^`scale`, the largest of which is about 1.
struct Scaled {
  double scale = -infinity;
  Interval sum{0, 0};

  void add(double log_lower, double log_upper) {
    if (log_upper > scale + 600 || scale == -infinity) {
      const double shrink = math::exp(scale - log_upper);
      sum = {sum.lower * shrink * (1 - 4 * u), sum.upper * shrink * (1 + 4 * u)};
      scale = log_upper;
    }
    sum.lower += math::exp(log_lower - scale), sum.upper += math::exp(log_upper - scale);
  }
};

// Sums over nodes of x^s e^-x, for E (e^(-x (R - 1)) - 1) and for 1.
class NodeSums {
 public:
  NodeSums(const LognormalTransform& transform, double steps, double s, double step, double nats)
      : transform_(transform), steps_(steps), s_(s), step_(step), nats_(nats) {}

  // Nodes about the largest one, until those beyond add less than e^-nats of either sum, or there are too many.
  void add_all() {
    const double middle = std::floor(math::log(s_ + 1) / step_);
    add(middle, last_);
    first_ = last_;
    for (int k = 1; k < most_nodes && !is_enough(beyond(), beyond_whole()); ++k) add(middle + k, last_);
    for (int k = 1; k < most_nodes && !is_enough(before(), before_whole()); ++k) add(middle - k, first_);
  }

  // Logarithms of the ends between which the sums over all nodes lie.
  Interval excess() const { return ends(excess_, {-infinity, before()}, {-infinity, beyond()}); }
  Interval whole() const { return ends(whole_, before_whole(), beyond_whole()); }

 private:
  // Logarithms of what a node adds to the excess, at most, and to the sums for E e^(-x R) and for 1.
  struct Node {
    double x = 0, excess = 0;
    Interval moment{-infinity, infinity}, weight{-infinity, infinity};
  };
  // The outermost node on a side, and the one before.
  struct End {
    Node at, inner;
  };

  void add(double k, End& end) {
    checkpoint();
    const double y = k * step_, x = math::exp(y);
    const double at = s_ * y;
    const auto [log_moment, log_excess] = logs_at(x);
    const double most = std::max(std::fabs(log_moment.lower), std::fabs(log_excess.upper));
    const double off = (32 + 8 * (std::fabs(at) + most)) * u, off_of_1 = (32 + 8 * (std::fabs(at) + x)) * u;
    end.inner = std::exchange(end.at, {x,
                                       at + log_excess.upper + off,
                                       {at + log_moment.lower - off, at + log_moment.upper + off},
                                       {at - x - off_of_1, at - x + off_of_1}});
    excess_.add(at + log_excess.lower - off, end.at.excess);  // proof: reversed-moments
    whole_.add(end.at.weight.lower, end.at.weight.upper);     // proof: reversed-moments
  }

  struct Logs {
    Interval moment, excess;
  };

  // Encloses log E e^(-x R) and log (E e^(-x R) - e^-x), up to a rounding of itself.
  Logs logs_at(double x) const {
    const double c = x / steps_;
    if (!(c > centred_end)) {
      const ComplexBall ball = transform_.centred({c, 0});
      // proof: reversed-moments
      const double value = ball.value.real(), error = ball.error + 4 * u * value;
      const double low = steps_ * math::log1p(std::max(0.0, value - error)), high = steps_ * math::log1p(value + error);
      return {{low - x, high - x}, {log_excess(x, low, low - x), log_excess(x, high, high - x)}};
    }
    auto [least, most] = LogTransform(transform_.mu(), c).log_value(nats_);
    least *= steps_, most *= steps_;
    // proof: reversed-moments
    const double low = log_excess(x, std::max(0.0, x + least - 8 * u * x), least);
    return {{least, most}, {low, log_excess(x, x + most + 8 * u * x, most)}};
  }

  // log (m - e^-x) of log m, and of the growth log m + x.
  static double log_excess(double x, double growth, double log_moment) {
    return growth < 1 ? math::log(math::expm1(growth)) - x : log_moment + math::log1p(-math::exp(-growth));
  }

  static Interval ends(const Scaled& of, const Interval& below, const Interval& above) {
    const double low = of.sum.lower + math::exp(below.lower - of.scale);
    const double high = of.sum.upper + math::exp(below.upper - of.scale) + math::exp(above.upper - of.scale);
    // proof: reversed-moments
    const double off = 8 * u * (std::fabs(of.scale) + 4);
    return {math::log(low) + of.scale - off, math::log(high) + of.scale + off};
  }
  static double log_of(const Scaled& of) { return math::log(of.sum.upper) + of.scale; }

  // Whether sums over the nodes beyond an end are known well enough.
  bool is_enough(double more, const Interval& more_whole) const {
    return more <= log_of(excess_) - nats_ &&
           log_difference(more_whole.upper, more_whole.lower) <= log_of(whole_) - nats_;
  }

  // log of an upper bound of the terms beyond an end, which are log-concave: they fall as from the node before it.
  static double falling(const Interval& at, const Interval& inner) {
    const double fall = inner.lower - at.upper;
    return fall > 0 ? at.upper - log_less_1(fall) + 1e-9 : infinity;  // proof: reversed-moments
  }
  double beyond() const { return falling(last_.at.moment, last_.inner.moment); }
  Interval beyond_whole() const { return {-infinity, falling(last_.at.weight, last_.inner.weight)}; }

  // Below the first node the excess is at most proportional to x, being convex and 0 at x = 0.
  double before() const {
    // proof: reversed-moments
    const double by_x = first_.at.excess + first_.at.x - log_less_1((s_ + 1) * step_) + 1e-9;
    return std::min(by_x, falling(first_.at.moment, first_.inner.moment));
  }
  // There e^-x is between its value at the first node and 1.
  Interval before_whole() const {
    const double nodes = log_less_1(s_ * step_), off = 16 * u * (1 + std::fabs(nodes));
    const auto& [lower, upper] = first_.at.weight;
    const double most = std::min(upper - nodes + first_.at.x + off, falling(first_.at.weight, first_.inner.weight));
    return {lower - nodes - off, most};  // proof: reversed-moments
  }

  const LognormalTransform& transform_;
  double steps_, s_, step_, nats_;
  Scaled excess_, whole_;
  End first_, last_;
};

}  // namespace

Interval log_transform(double mu, double c, double nats) { return LogTransform(mu, c).log_value(nats); }

Interval reversed_log_moment(const LognormalTransform& transform, double steps, double s, double nats) {
  if (!(s * transform.mu() * transform.mu() < most_exponent * steps)) return {0, infinity};
  const auto [step, alias] = rule_for(s, nats);
  NodeSums sums(transform, steps, s, step, nats);
  sums.add_all();
  const Interval excess = sums.excess(), whole = sums.whole();
  if (!(alias < 0.5 && std::isfinite(excess.upper) && std::isfinite(whole.upper))) return {0, infinity};
  // The integral for 1, and E R^-s - 1: the rule is off by `alias` of the one, and of the two together.
  const double turned = math::log1p(alias) * (1 + 4 * u), lost = -math::log1p(-alias) * (1 + 4 * u);
  const double off = 8 * u * (std::fabs(excess.upper) + std::fabs(whole.upper) + 4), both = math::log(2 * alias);
  const double least =
      log_difference(excess.lower - whole.upper - lost - off, both) - turned;           // proof: reversed-moments
  const double most = log_sum(excess.upper - whole.lower + turned + off, both) + lost;  // proof: reversed-moments
  // proof: reversed-moments
  return {log_sum(least, 0) * (1 - 8 * u), log_sum(most, 0) * (1 + 8 * u)};
}

}  // namespace hockeystick
