// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/additive/additive_noise.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mechanisms/additive/concave_density.hpp"
#include "mechanisms/additive/noise_functions.hpp"
#include "mechanisms/additive/noise_side.hpp"
#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/order.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// Symmetric log-concave noise of density e^g and distribution function F. P has the density e^g(x), Q has e^g(x +
// shift), and L(x) = g(x) - g(x + shift) increases. So x is exact as seen from P and rounded as seen from Q. Masses are
// differences of tails F(-|x|) where F is accurate relative to itself. For cells too narrow for differences, and for
// tails for which F is not trusted, they lie between the bounds that the concavity of g gives.

// Cells and tails whose P-mass is below this, or whose error exceeds half of it, count at loss +inf, and their Q-mass
// at -inf.
constexpr double vanishing = 1e-301;

// The fraction of a threshold's error of g by which the threshold is moved towards the centres: a bounded loss is
// nearly attained also far out, where g is large and so is its error.
constexpr double inwards = 1.0 / 16;

struct Threshold {
  NoiseSide p, q;
  double error;  // of the loss; 0 if the threshold is outside
  int outside;   // 1 or -1: all losses within reach are below, or above, and the threshold is the end of the reach
};

bool is_lost(const MassEstimate& p) { return p.upper() < vanishing || !(p.error < p.value / 2); }

class AdditiveNoise final : public DominatingPair {
 public:
  AdditiveNoise(NoiseFunctions noise, double shift)
      : noise_(std::move(noise)), shift_(shift), peak_(noise_.peak()), reach_(noise_.reach()) {
    infinity_mass_ = DominatingPair::infinity_mass();
  }

  PairCells integrate(std::span<const double> edges) const override {
    const std::vector<Threshold> at = thresholds(edges);
    PairCells result;
    result.share_error = 16 * u;
    for (const Threshold& threshold : at) result.loss_error = std::max(result.loss_error, threshold.error);
    result.edge_error = result.loss_error;
    const std::vector<double> middle = middles(at), g = noise_.log_density(middle);
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
      checkpoint_each<1024>(i);
      const ConcavePoint p{middle[2 * i], g[2 * i]}, q{middle[2 * i + 1], g[2 * i + 1]};
      result.cells.push_back(cell(at[i], at[i + 1], p, q, {edges[i], edges[i + 1]}, result));
    }
    add_lower_tail(at.front(), result);
    add_upper_tail(at.back(), edges.back(), result);
    result.mass_error += 8 * u;
    result.share_error_p += 16 * u;
    // Sums of a term for each cell.
    const double sums = 1 + (static_cast<double>(edges.size()) + 8) * u;
    result.infinity_mass *= sums;
    result.lower_tail_q *= sums;
    return result;
  }

  // The points concentrate around both centres and cover the tails.
  LossNodes nodes() const override {
    constexpr int count = 250;
    const double unit = 0.4 * math::exp(-peak_);
    const double top = math::asinh((reach_ + shift_) / unit);
    std::vector<double> x;
    for (int k = -count; k <= count; ++k) {
      const double away = unit * math::sinh(top * k / count);
      x.push_back(away - shift_);
      x.push_back(away);
    }
    sort_by(x, std::identity{});
    const auto log_p = noise_.log_density(x), log_q = noise_.log_density(moved(x));
    LossNodes nodes;
    for (std::size_t k = 1; k + 1 < x.size(); ++k) {
      const double width = (x[k + 1] - x[k - 1]) / 2;
      const double loss = log_p[k] - log_q[k];
      if (!(width > 0)) continue;
      nodes.loss.push_back(nodes.loss.empty() ? loss : std::max(loss, nodes.loss.back()));
      nodes.log_mass.push_back(log_p[k] + math::log(width));
    }
    return nodes;
  }

  // The noise is symmetric.
  std::shared_ptr<const DominatingPair> reverse() const override {
    return std::make_shared<AdditiveNoise>(noise_, shift_);
  }

  // The loss grows to the limit of g's slope times the shift. The density is positive everywhere.
  bool has_no_infinite_loss() const override { return true; }
  Interval infinity_mass() const override { return infinity_mass_; }
  double finite_loss_bound() const override {
    return noise_.steepest() ? up(*noise_.steepest() * shift_) : infinity;  // proof: largest-loss
  }

  // If no limit is known that of the far end of the reach: the loss is still larger farther out. g falls, so a smaller
  // step shows less.
  double largest_loss_from_below() const override {
    if (noise_.steepest()) return down(*noise_.steepest() * shift_);  // proof: largest-loss
    const double from = reach_, to = down(down(from + shift_));
    const double near = noise_.log_density({from})[0], far = noise_.log_density({to})[0];
    return std::max(0.0, down(near - far) - up(noise_.off(near) + noise_.off(far)));  // proof: largest-loss
  }

  // delta(0) = 1 - 2 F(-shift / 2).
  double total_variation_bound() const override {
    return std::clamp(1 - 2 * noise_.tails({shift_ / 2})[0] * (1 - 2 * noise_.accuracy()) + 4 * u, 0.0, 1.0);
  }

 private:
  // The noise's mass below is negligible as seen from both centres, also where the reach is lost next to the shift.
  double bottom() const { return -(reach_ + shift_) * (1 + 8 * u); }  // proof: noise-reach

  // Points as seen from the other centre.
  std::vector<double> moved(std::vector<double> x) const {
    for (double& at : x) at += shift_;
    return x;
  }

  // The x with L(x) = loss for each edge, in order, by simultaneous bisection within reach.
  std::vector<double> solve(std::span<const double> losses) const {
    const std::size_t count = losses.size();
    std::vector<double> low(count, bottom()), high(count, reach_), middle(count);
    for (int step = 0; step < 1100; ++step) {
      checkpoint();
      bool moving = false;
      for (std::size_t i = 0; i < count; ++i) {
        middle[i] = low[i] + (high[i] - low[i]) / 2;
        moving = moving || (middle[i] > low[i] && middle[i] < high[i] && high[i] - low[i] > 1e-20 * reach_);
      }
      if (!moving) break;
      const auto log_p = noise_.log_density(middle), log_q = noise_.log_density(moved(middle));
      for (std::size_t i = 0; i < count; ++i) {
        const double inward = std::copysign(inwards * (noise_.off(log_p[i]) + noise_.off(log_q[i])), losses[i]);
        (log_p[i] - log_q[i] + inward < losses[i] ? low : high)[i] = middle[i];
      }
    }
    // The edges on either side of loss 0 are bisected inwards, and a function may return a different value when asked
    // again.
    for (std::size_t i = 1; i < count; ++i) low[i] = std::max(low[i], low[i - 1]);  // proof: noise-rounding
    return low;
  }

  std::vector<Threshold> thresholds(std::span<const double> losses) const {
    std::vector<double> x = solve(losses);
    const double ends[] = {bottom(), reach_};
    x.insert(x.end(), ends, ends + 2);
    const std::vector<NoiseSide> p = noise_.sides(x, false), q = noise_.sides(moved(x), true);
    // The functions' accuracy, the rounding of the difference, and of x as seen from Q.
    const auto error_at = [&](std::size_t i) {
      return noise_.off(p[i].log_f) + noise_.off(q[i].log_f) + 1.01 * u * std::fabs(p[i].log_f - q[i].log_f) +
             1.001 * u * q[i].steepness;  // proof: noise-rounding
    };
    const std::size_t lowest = losses.size(), highest = losses.size() + 1;
    const double bottom = p[lowest].log_f - q[lowest].log_f - error_at(lowest);
    const double top = p[highest].log_f - q[highest].log_f + error_at(highest);  // proof: noise-reach
    std::vector<Threshold> result;
    for (std::size_t i = 0; i < losses.size(); ++i) {
      if (losses[i] > top || losses[i] < bottom) {
        const int outside = losses[i] > top ? 1 : -1;
        const std::size_t end = outside > 0 ? highest : lowest;
        result.push_back({p[end], q[end], 0, outside});
        continue;
      }
      const double missed = std::fabs(p[i].log_f - q[i].log_f - losses[i]), error = error_at(i);
      if (!(missed < 1e-3 + 4 * error))
        throw std::invalid_argument("log_density must be concave and accurate: near " + written(x[i]) +
                                    " the privacy loss is off by " + written(missed));
      result.push_back({p[i], q[i], missed + error, 0});  // proof: noise-rounding
    }
    return result;
  }

  // Half way between thresholds, as seen from P and from Q.
  static std::vector<double> middles(const std::vector<Threshold>& at) {
    std::vector<double> x;
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      x.push_back(at[i].p.x + (at[i + 1].p.x - at[i].p.x) / 2);
      x.push_back(at[i].q.x + (at[i + 1].q.x - at[i].q.x) / 2);
    }
    return x;
  }

  // Mass times e^shift between thresholds, by difference or from the bounds of a concave g, whichever has the smaller
  // error.
  MassEstimate mass(const NoiseSide& low, const ConcavePoint& middle, const NoiseSide& high, double shift,
                    bool rounded) const {
    const MassEstimate wide = difference(low, high, shift);
    const double error = std::max({noise_.off(low.log_f), noise_.off(middle.g), noise_.off(high.log_f)});
    MassEstimate narrow = middle_of(concave_mass({low.x, low.log_f}, middle, {high.x, high.log_f}, error, shift));
    if (rounded) narrow.error += noise_.displaced(low, shift) + noise_.displaced(high, shift);  // proof: noise-rounding
    return narrow.error < wide.error || std::isnan(wide.error) ? narrow : wide;
  }

  // Counts P-mass at loss +inf and Q-mass at -inf.
  static void lose(double p, double q, PairCells& result) {
    result.infinity_mass += p;  // proof: noise-reach
    result.lower_tail_q += q;   // proof: noise-reach
  }

  // P - e^lower Q and e^upper Q - P from P and e^lower Q, or the middle of their range if its error is smaller. Errors
  // go into `errors`.
  CellMass cell(const Threshold& low, const Threshold& high, const ConcavePoint& middle_p, const ConcavePoint& middle_q,
                const Interval& ends, PairCells& errors) const {
    if (!(low.p.x < high.p.x)) return {};
    const MassEstimate p = mass(low.p, middle_p, high.p, 0, false);
    if (is_lost(p)) {
      lose(p.upper(), mass(low.q, middle_q, high.q, 0, true).upper(), errors);
      return {};
    }
    const MassEstimate q = mass(low.q, middle_q, high.q, ends.lower, true);
    errors.mass_error = std::max(errors.mass_error, p.error / (p.value - p.error));  // proof: noise-rounding
    const double width = ends.upper - ends.lower, grow = math::exp(width);
    const double most_above = p.value * -math::expm1(-width), most_below = p.value * math::expm1(width);
    const auto settle = [&](double difference, double error, double most) {
      if (!(error < most / 2)) difference = error = most / 2;
      if (width > 1) {  // where `below` may be many times p
        // proof: noise-rounding
        errors.share_error = std::max(errors.share_error, 1.01 * error / std::clamp(difference, error, most));
      } else {
        errors.share_error_p = std::max(errors.share_error_p, 1.01 * error / p.value);  // proof: noise-rounding
      }
      return std::clamp(difference, 0.0, most);
    };
    // The thresholds are exact for losses within their errors.
    const double above_error =  // proof: noise-rounding
        p.error + q.error + 1.001 * math::expm1(low.error) * q.value + 8 * u * (p.value + q.value);
    const double grown = grow * q.value;
    const double below_error =  // proof: noise-rounding
        p.error + grow * q.error + (1.001 * math::expm1(high.error) + 2 * u * width) * grown +
        8 * u * (p.value + grown);
    const double above = settle(p.value - q.value, above_error, most_above);
    const double below = settle(grown - p.value, below_error, most_below);
    return {p.value, above, below};
  }

  // The mass below the first threshold.
  void add_lower_tail(const Threshold& first, PairCells& result) const {
    if (first.outside < 0) return lose(negligible_noise, negligible_noise, result);
    const MassEstimate p = mass_below(first.p, 0);
    lose(is_lost(p) ? p.upper() : 0, mass_below(first.q, 0).upper(), result);
    if (is_lost(p)) return;
    result.lower_tail_p = p.value;
    result.mass_error = std::max(result.mass_error, p.error / (p.value - p.error));
  }

  // The mass above the last threshold.
  void add_upper_tail(const Threshold& last, double edge, PairCells& result) const {
    if (last.outside > 0) return lose(negligible_noise, negligible_noise, result);
    const MassEstimate p = mass_above(last.p, 0);
    if (is_lost(p)) return lose(p.upper(), mass_above(last.q, 0).upper(), result);
    const MassEstimate taken = mass_above(last.q, edge);
    double error =  // proof: noise-rounding
        p.error + taken.error + 1.001 * math::expm1(last.error) * taken.value + 8 * u * (p.value + taken.value);
    // An upper bound: connect the dots sends this mass to +inf. Twice its error is within share_error_p.
    result.upper_tail_p = p.value;
    const bool unknown = !(error < p.value);
    if (unknown) error = p.value;
    // proof: noise-rounding
    result.upper_tail_above = unknown ? p.value : std::clamp(p.value - taken.value + error, 0.0, p.value);
    result.share_error_p = std::max(result.share_error_p, 2 * error / p.value);  // proof: noise-rounding
    result.mass_error = std::max(result.mass_error, p.error / (p.value - p.error));
  }

  NoiseFunctions noise_;
  double shift_, peak_, reach_;
  Interval infinity_mass_{};  // asked often, and as dear as a cell
};

}  // namespace

std::shared_ptr<const DominatingPair> additive_noise_pair(Noise noise, double shift) {
  return std::make_shared<AdditiveNoise>(NoiseFunctions(std::move(noise)), shift);
}

}  // namespace hockeystick
