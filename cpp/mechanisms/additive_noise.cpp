// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive_noise.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "numeric/checkpoint.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// Symmetric log-concave noise of density e^g. Seen from the middle of both centres, with h = shift / 2, P has the
// density e^g(t - h), Q has e^g(t + h), and L(t) = g(t - h) - g(t + h) increases and is odd. Masses are differences of
// the distribution function F, always taken at or below 0, where F is accurate relative to itself.

constexpr double u = unit_roundoff;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Tails below this are as good as none.
constexpr double negligible = 1e-300;

// By how much a point is moved to bound the slope of g there: g is concave, so secants outwards are steeper.
constexpr double outwards = 1e-3;

// A threshold t on the line, seen from one of the two centres.
struct Side {
  double x;          // t - h or t + h
  double log_f;      // g(x)
  double tail;       // F(-|x|)
  double error;      // relative, of tail
  double steepness;  // at least |x g'(x)|
};

struct Threshold {
  double t = 0;
  Side p, q;
};

double mass_error_of(const Side& low, const Side& high) { return low.error * low.tail + high.error * high.tail; }

// The mass between two thresholds.
double mass_between(const Side& low, const Side& high) {
  if (high.x <= 0) return high.tail - low.tail;
  if (low.x >= 0) return low.tail - high.tail;
  return 1 - (low.tail + high.tail);
}

double mass_below(const Side& side) { return side.x <= 0 ? side.tail : 1 - side.tail; }
double mass_above(const Side& side) { return side.x >= 0 ? side.tail : 1 - side.tail; }

class AdditiveNoise final : public DominatingPair {
 public:
  AdditiveNoise(Noise noise, double shift) : noise_(std::move(noise)), half_(shift / 2) {
    reach_ = half_;
    for (double distance = half_;; distance *= 2) {
      reach_ = half_ + distance;
      if (tails({distance})[0] <= negligible) break;
      if (distance > 1e300) throw std::invalid_argument("distribution must fall to 0 far below 0");
    }
  }

  PairCells integrate(std::span<const double> edges) const override {
    double loss_error = 0;
    const std::vector<Threshold> at = thresholds(edges, loss_error);
    PairCells result;
    result.loss_error = result.edge_error = loss_error;
    result.share_error = 16 * u;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i)
      checkpoint_each<1024>(i), result.cells.push_back(cell(at[i], at[i + 1], edges[i], edges[i + 1], result));
    const Threshold &first = at.front(), &last = at.back();
    result.lower_tail_p = mass_below(first.p);
    result.lower_tail_q = mass_below(first.q) * (1 + 8 * u) + first.q.error * first.q.tail + negligible;
    result.upper_tail_p = mass_above(last.p);
    const double scale = std::exp(edges.back());
    const double taken = last.q.tail > 0 || last.q.x < 0 ? scale * mass_above(last.q) : 0.0;
    // An upper bound: connect the dots sends this mass to +inf. Twice its error is within share_error_p.
    const double error = tail_error(last.p) + scale * tail_error(last.q) + 8 * u * (result.upper_tail_p + taken);
    result.upper_tail_above = std::clamp(result.upper_tail_p - taken + error, 0.0, result.upper_tail_p);
    if (result.upper_tail_p > 0) {
      result.share_error_p = std::max(result.share_error_p, 2 * error / result.upper_tail_p);
      result.mass_error = std::max(result.mass_error, tail_error(last.p) / result.upper_tail_p);
    }
    if (result.lower_tail_p > 0)
      result.mass_error = std::max(result.mass_error, tail_error(first.p) / result.lower_tail_p);
    result.mass_error += 8 * u;
    result.share_error_p += 16 * u;
    return result;
  }

  // Points gather about both centres, as far as the tails go.
  LossNodes nodes() const override {
    constexpr int count = 250;
    const double unit = 0.4 * std::exp(-values(noise_.log_density, {0.0}, "log_density")[0]);
    const double top = std::asinh((reach_ + half_) / unit);
    std::vector<double> t;
    for (int k = -count; k <= count; ++k) {
      const double away = unit * std::sinh(top * k / count);
      t.push_back(away - half_);
      t.push_back(away + half_);
    }
    std::sort(t.begin(), t.end());
    std::vector<double> p, q;
    for (const double x : t) {
      p.push_back(x - half_);
      q.push_back(x + half_);
    }
    const auto log_p = values(noise_.log_density, p, "log_density");
    const auto log_q = values(noise_.log_density, q, "log_density");
    LossNodes nodes;
    for (std::size_t k = 1; k + 1 < t.size(); ++k) {
      const double width = (t[k + 1] - t[k - 1]) / 2;
      const double loss = log_p[k] - log_q[k];
      if (!(width > 0)) continue;
      nodes.loss.push_back(nodes.loss.empty() ? loss : std::max(loss, nodes.loss.back()));
      nodes.log_mass.push_back(log_p[k] + std::log(width));
    }
    return nodes;
  }

  // delta(0) = F(h) - F(-h).
  double total_variation_bound() const override {
    return std::clamp(1 - 2 * tails({half_})[0] * (1 - 2 * noise_.accuracy) + 4 * u, 0.0, 1.0);
  }

 private:
  double tail_error(const Side& side) const { return side.error * side.tail; }

  std::vector<double> values(const Noise::Map& map, const std::vector<double>& x, const char* name) const {
    std::vector<double> y(x.size());
    map(x, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      if (!std::isfinite(y[i]))
        throw std::invalid_argument(std::string(name) + " must return finite numbers, got " + std::to_string(y[i]) +
                                    " at " + std::to_string(x[i]));
    }
    return y;
  }

  // F(-distance).
  std::vector<double> tails(std::vector<double> distance) const {
    for (double& x : distance) x = -std::fabs(x);
    const auto y = values(noise_.distribution, distance, "distribution");
    for (const double tail : y)
      if (!(tail >= 0 && tail <= 0.5 + 2 * noise_.accuracy))
        throw std::invalid_argument("distribution must be in [0, 0.5] below 0, got " + std::to_string(tail));
    return y;
  }

  double loss_at(double t) const {
    const auto g = values(noise_.log_density, {t - half_, t + half_}, "log_density");
    return g[0] - g[1];
  }

  // t with L(t) = loss for each edge, by bisection of all at once; infinite where L does not get there before the
  // tails are negligible.
  std::vector<double> solve(std::span<const double> losses) const {
    const std::size_t count = losses.size();
    std::vector<double> low(count, -reach_), high(count, reach_), middle(count), p(count), q(count);
    const double top = loss_at(reach_);
    for (int step = 0; step < 1100; ++step) {
      checkpoint();
      bool moving = false;
      for (std::size_t i = 0; i < count; ++i) {
        middle[i] = low[i] + (high[i] - low[i]) / 2;
        moving = moving || (middle[i] > low[i] && middle[i] < high[i] && high[i] - low[i] > 1e-20 * reach_);
        p[i] = middle[i] - half_;
        q[i] = middle[i] + half_;
      }
      if (!moving) break;
      const auto log_p = values(noise_.log_density, p, "log_density");
      const auto log_q = values(noise_.log_density, q, "log_density");
      for (std::size_t i = 0; i < count; ++i) (log_p[i] - log_q[i] < losses[i] ? low : high)[i] = middle[i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (losses[i] > top) low[i] = infinity;
      if (losses[i] <= -top) low[i] = -infinity;
    }
    return low;
  }

  // Both sides of finite thresholds. A rounded argument, and the functions' own accuracy, are in the errors.
  std::vector<Side> sides(const std::vector<double>& t, double offset) const {
    std::vector<double> x, beyond;
    for (const double at : t) {
      x.push_back(std::isinf(at) ? 0.0 : at + offset);
      beyond.push_back(x.back() * (1 + outwards));
    }
    const auto g = values(noise_.log_density, x, "log_density");
    const auto g_beyond = values(noise_.log_density, beyond, "log_density");
    const auto tail = tails(x);
    std::vector<Side> result;
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (std::isinf(t[i])) {
        result.push_back({t[i], 0, 0, 0, 0});
        continue;
      }
      const double noise = noise_.accuracy * (2 + std::fabs(g[i]) + std::fabs(g_beyond[i]));
      const double steepness = (std::fabs(g[i] - g_beyond[i]) + noise) / outwards;
      // d log F / d log x = x e^g / F.
      const double moved = tail[i] > 0 ? std::fabs(x[i]) * std::exp(g[i] + noise) / tail[i] : 0.0;
      result.push_back({x[i], g[i], tail[i], noise_.accuracy + u * moved, steepness});
    }
    return result;
  }

  std::vector<Threshold> thresholds(std::span<const double> losses, double& loss_error) const {
    const std::vector<double> t = solve(losses);
    const std::vector<Side> p = sides(t, -half_), q = sides(t, half_);
    std::vector<Threshold> result;
    for (std::size_t i = 0; i < t.size(); ++i) {
      result.push_back({t[i], p[i], q[i]});
      if (std::isinf(t[i])) continue;
      const double loss = p[i].log_f - q[i].log_f;
      const double error = std::fabs(loss - losses[i]) + 2 * u * std::fabs(losses[i]) +
                           noise_.accuracy * (2 + std::fabs(p[i].log_f) + std::fabs(q[i].log_f)) +
                           2 * u * (p[i].steepness + q[i].steepness);
      if (!(error < 1e-3))
        throw std::invalid_argument("log_density must be concave and accurate: near " + std::to_string(t[i]) +
                                    " the privacy loss is off by " + std::to_string(error));
      loss_error = std::max(loss_error, error);
    }
    return result;
  }

  // Masses by differences, or, in a cell too narrow for these, between the densities at its ends; `above` and `below`
  // by differences or else in the middle of their range. Whatever is surer; the errors go into `errors`.
  CellMass cell(const Threshold& low, const Threshold& high, double lower, double upper, PairCells& errors) const {
    if (!(low.t < high.t)) return {};
    double p = std::max(0.0, mass_between(low.p, high.p));
    double p_error = mass_error_of(low.p, high.p);
    const double q = std::max(0.0, mass_between(low.q, high.q)), q_error = mass_error_of(low.q, high.q);
    if (const auto [narrow, narrow_error] = narrow_mass(low.p, high.p); narrow_error < p_error) {
      p = narrow;
      p_error = narrow_error;
    }
    if (!(p > negligible)) return {p, 0, 0};
    errors.mass_error = std::max(errors.mass_error, p_error / (p - std::min(p_error, p / 2)));
    const double most_above = p * -std::expm1(lower - upper), most_below = p * std::expm1(upper - lower);
    const auto settle = [&](double difference, double error, double most) {
      if (!(error < most / 2)) {
        difference = error = most / 2;
      }
      if (upper - lower > 1) {  // where `below` may be many times p
        errors.share_error = std::max(errors.share_error, 1.01 * error / std::clamp(difference, error, most));
      } else {
        errors.share_error_p = std::max(errors.share_error_p, 1.01 * error / p);
      }
      return std::clamp(difference, 0.0, most);
    };
    const double down = std::exp(lower), grow = std::exp(upper);
    const double above = settle(p - down * q, p_error + down * q_error + 8 * u * (p + down * q), most_above);
    const double below = settle(grow * q - p, p_error + grow * q_error + 8 * u * (p + grow * q), most_below);
    return {p, above, below};
  }

  // A log-concave symmetric density lies between its values at the ends, or up to its peak at 0.
  std::pair<double, double> narrow_mass(const Side& low, const Side& high) const {
    if (std::isinf(low.x) || std::isinf(high.x) || (low.x < 0 && high.x > 0)) return {0, infinity};
    const double a = std::exp(low.log_f), b = std::exp(high.log_f), width = high.x - low.x;
    const double error = noise_.accuracy * (2 + std::fabs(low.log_f) + std::fabs(high.log_f)) + 16 * u;
    // The width, too, is rounded: both ends by u.
    const double ends = u * (std::fabs(low.x) + std::fabs(high.x)) * std::max(a, b);
    return {width * (a + b) / 2, width * (std::fabs(a - b) / 2 + error * std::max(a, b)) + ends};
  }

  Noise noise_;
  double half_, reach_ = 0;
};

}  // namespace

std::shared_ptr<const DominatingPair> additive_noise_pair(Noise noise, double shift) {
  return std::make_shared<AdditiveNoise>(std::move(noise), shift);
}

}  // namespace hockeystick
