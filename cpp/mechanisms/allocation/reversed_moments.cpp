// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/reversed_moments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

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

// Upper bound of log Gamma(b), by Stirling's series.
double log_gamma_above(double b) {
  return (b - 0.5) * math::log(b) - b + 0.5 * math::log(2 * pi) + 1 / (12 * b) + 1e-12 * (1 + b);
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
    const double middle = std::floor(highest_ / d), top = exponent(middle * d);
    double sum = 1, off = rounding(middle * d), left_out = 0;
    for (const int side : {-1, 1}) {
      double beyond = infinity;
      for (int k = 1; k < most_nodes && !(beyond <= math::exp(-nats) * sum); ++k) {
        const double v = (middle + side * k) * d, term = math::exp(exponent(v) - top);
        sum += term, off = std::max(off, rounding(v));
        const double fall = side * (v + c_ * mu_ * math::exp(mu_ * v - mu_ * mu_ / 2)) * (1 - 1e-12);
        beyond = fall > 0 ? term / math::expm1(fall * d) * (1 + 1e-9) : infinity;  // proof: reversed-moments
      }
      left_out += beyond;
    }
    const double log_value = math::log(sum * d / std::sqrt(2 * pi)) + top;
    // proof: reversed-moments
    const double error = (off + rounding(middle * d) + (64 + 4 * (std::fabs(log_value) + std::fabs(top))) * u) * 1.01;
    if (!(alias < 0.5)) return {-infinity, infinity};
    return {log_value - error - math::log1p(alias) * 1.01,                                    // proof: reversed-moments
            log_value + error + (math::log1p(left_out / sum) - math::log1p(-alias)) * 1.01};  // proof: reversed-moments
  }

 private:
  double exponent(double v) const { return -v * v / 2 - c_ * math::exp(mu_ * v - mu_ * mu_ / 2); }
  double rounding(double v) const {
    const double size = c_ * math::exp(mu_ * v - mu_ * mu_ / 2);
    return (4 + v * v + size * (8 + 2 * std::fabs(mu_ * v) + 2 * mu_ * mu_)) * u;  // proof: reversed-moments
  }

  double mu_, c_, highest_, most_;
};

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
    for (int k = 1; k < most_nodes && !is_enough_beyond(); ++k) add(middle + k, last_);
    for (int k = 1; k < most_nodes && !is_enough_before(); ++k) add(middle - k, first_);
  }

  // Logarithms of the ends between which the sums over all nodes lie.
  Interval excess() const { return ends(excess_, -infinity, before(), beyond_); }
  Interval whole() const { return ends(whole_, before_whole().lower, before_whole().upper, beyond_whole_); }

 private:
  struct Node {
    double y = 0, x = 0, term = 0, weight = 0, off = 0;  // logarithms of what it adds, and their error
  };

  void add(double k, Node& node) {
    checkpoint();
    const double y = k * step_, x = math::exp(y);
    const double at = s_ * y;
    const auto [low, high] = excess_at(x);
    const double off = (32 + 8 * (std::fabs(at) + std::fabs(high))) * u, off_of_1 = (32 + 8 * (std::fabs(at) + x)) * u;
    node = {y, x, at + high + off, at - x, off_of_1};
    excess_.add(at + low - off, node.term);                      // proof: reversed-moments
    whole_.add(node.weight - off_of_1, node.weight + off_of_1);  // proof: reversed-moments
  }

  // Encloses log (E e^(-x R) - e^-x), up to a rounding of itself.
  Interval excess_at(double x) const {
    const double c = x / steps_;
    if (!(c > centred_end)) {
      const ComplexBall ball = transform_.centred({c, 0});
      // proof: reversed-moments
      const double value = ball.value.real(), error = ball.error + 4 * u * value;
      const double low = steps_ * math::log1p(std::max(0.0, value - error)), high = steps_ * math::log1p(value + error);
      return {log_excess(x, low, low - x), log_excess(x, high, high - x)};
    }
    auto [least, most] = LogTransform(transform_.mu(), c).log_value(nats_);
    least *= steps_, most *= steps_;
    // proof: reversed-moments
    return {log_excess(x, std::max(0.0, x + least - 8 * u * x), least), log_excess(x, x + most + 8 * u * x, most)};
  }

  // log (m - e^-x) of log m, and of the growth log m + x.
  static double log_excess(double x, double growth, double log_moment) {
    return growth < 1 ? math::log(math::expm1(growth)) - x : log_moment + math::log1p(-math::exp(-growth));
  }

  static Interval ends(const Scaled& of, double least, double more, double beyond) {
    const double low = of.sum.lower + math::exp(least - of.scale);
    const double high = of.sum.upper + math::exp(more - of.scale) + math::exp(beyond - of.scale);
    // proof: reversed-moments
    const double off = 8 * u * (std::fabs(of.scale) + 4);
    return {math::log(low) + of.scale - off, math::log(high) + of.scale + off};
  }
  static double log_of(const Scaled& of) { return math::log(of.sum.upper) + of.scale; }

  // Below the first node the excess is at most proportional to x, being convex and 0 at x = 0.
  double before() const {
    // proof: reversed-moments
    return first_.term + first_.x - math::log(math::expm1((s_ + 1) * step_)) + 1e-9;
  }
  // There e^-x is between its value at the first node and 1.
  Interval before_whole() const {
    const double nodes = first_.weight - math::log(math::expm1(s_ * step_));
    return {nodes - 2 * first_.off, nodes + first_.x + 2 * first_.off};  // proof: reversed-moments
  }
  bool is_enough_before() const {
    const auto [least, most] = before_whole();
    return before() <= log_of(excess_) - nats_ && math::log(math::expm1(most - least)) + most <= log_of(whole_) - nats_;
  }

  // Beyond the last node x^s <= x^(s + more) / last^more, and E R^-b is at most that of the geometric mean.
  bool is_enough_beyond() {
    const double wanted = log_of(excess_) - nats_, wanted_whole = log_of(whole_) - nats_;
    beyond_ = beyond_whole_ = infinity;
    if (last_.term > wanted + 8) return false;
    const double square = transform_.mu() * transform_.mu();
    for (double more = 1; more <= 1e5; more *= 1.5) {
      const double b = s_ + more, nodes = math::log1p(step_ * std::sqrt(b / (2 * pi)));
      // proof: reversed-moments
      const double whole = log_gamma_above(b) + nodes - more * last_.y - math::log(step_);
      const double moment = (b * square / 2 + b * b * square / (2 * steps_)) * (1 + 1e-12);
      beyond_whole_ = std::min(beyond_whole_, whole), beyond_ = std::min(beyond_, whole + moment);
    }
    return beyond_ <= wanted && beyond_whole_ <= wanted_whole;
  }

  const LognormalTransform& transform_;
  double steps_, s_, step_, nats_;
  Scaled excess_, whole_;
  Node first_, last_;
  double beyond_ = infinity, beyond_whole_ = infinity;  // logarithms of what lies beyond the last node
};

// log (e^a + e^b) and log (e^a - e^b).
double log_sum(double a, double b) { return std::max(a, b) + math::log1p(math::exp(-std::fabs(a - b))); }
double log_difference(double a, double b) { return b < a ? a + math::log(-math::expm1(b - a)) : -infinity; }

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
