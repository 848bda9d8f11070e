// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/public_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/order.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// A part of a sum of lines: its weight, within 2 u, and its line. `error` is as in Choice, and at most
// `largest_line_error` over (3 + tilt).
struct WeightedPart {
  double weight;
  std::unique_ptr<MgfLine> line;
  double error;
};
constexpr double largest_line_error = 1e-9;

// The moments of a weighted sum of pairs, M(z) = sum_i w_i M_i(z), from at least one line. All lines serve the same
// needs, but for their accuracy.
class WeightedLine final : public MgfLine {
 public:
  WeightedLine(std::vector<WeightedPart> parts, std::vector<PartLeftOut> left_out, double tilt)
      : parts_(std::move(parts)), left_out_(std::move(left_out)), tilt_(tilt) {
    std::vector<Ball> moments;
    for (const WeightedPart& part : parts_) moments.push_back(part.line->log_moment());
    const Sum sum = sum_of(moments, tilt);
    shares_ = sum.shares;
    listed_ = sum.log;
    beside_ = left_out_above(tilt, listed_.value - listed_.error);
  }

  // Parts that are left out only raise the moment.
  Ball log_moment() const override { return {listed_.value, listed_.error + beside_}; }

  double log_moment_above(double tilt) const override {
    std::vector<Ball> bounds;
    for (const WeightedPart& part : parts_) bounds.push_back({part.line->log_moment_above(tilt), 0});
    const auto [value, error] = sum_of(bounds, tilt).log;
    return error < infinity ? value + error + left_out_above(tilt, value - error) : infinity;
  }

  std::vector<MomentSample> samples(double spacing, std::size_t count) const override;

  double truncation(double frequency) const override {
    double sum = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      sum += shares_[i].value * std::min(2.0, parts_[i].line->truncation(frequency));
    return 1.01 * sum + 2 * beside_;  // proof: weighted-lines
  }

  double modulus_bound(double frequency) const override {
    double gap = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i)
      gap += std::max(0.0, shares_[i].value - shares_[i].error) *
             std::max(0.0, 1 - parts_[i].line->modulus_bound(frequency));
    return 1 - (1 - 1e-6) * gap + beside_;  // proof: weighted-lines
  }

  double left_out() const override {
    double sum = 0;
    for (const WeightedPart& part : parts_) sum += part.weight * part.line->left_out();
    return sum + 1e-6 * sum;  // proof: contour-cut
  }

  std::size_t size() const override {
    std::size_t sum = 0;
    for (const WeightedPart& part : parts_) sum += part.line->size();
    return sum;
  }

 private:
  struct Sum {
    Ball log;                  // of sum w M
    std::vector<Ball> shares;  // w M over it
  };

  // The logarithm of the sum from the parts' log M at a tilt.
  Sum sum_of(const std::vector<Ball>& moments, double tilt) const {
    Sum result;
    double top = -infinity, sum = 0, off = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double log_weight = math::log(parts_[i].weight), log = log_weight + moments[i].value;
      // proof: weighted-lines
      const double error = moments[i].error + u * (3 + 4 * std::fabs(log_weight) + std::fabs(log));
      result.shares.push_back({log, error + (1 + std::fabs(tilt)) * parts_[i].error});  // proof: weighted-lines
      top = std::max(top, log);
    }
    for (auto& [log, error] : result.shares) {
      error += u * (5 + std::fabs(log - top));  // proof: weighted-lines
      log = math::exp(log - top);
      sum += log;
      off += log * math::expm1(error);
    }
    const auto count = static_cast<double>(parts_.size());
    const double log_sum = math::log(sum), value = top + log_sum;
    off = off / sum + count * u;
    if (!(off < 1e-3)) return {{value, infinity}, std::vector<Ball>(parts_.size(), Ball{1 / count, 1})};
    result.log = {value, 1.01 * off + u * (4 * std::fabs(log_sum) + std::fabs(value))};  // proof: weighted-lines
    for (auto& [share, error] : result.shares) {
      share /= sum;
      error = 1.01 * share * math::expm1(error + off) + 1e-300;  // proof: weighted-lines
    }
    return result;
  }

  // Upper bound of the mass of unlisted Gaussians, relative to that of the listed ones.
  double left_out_above(double tilt, double log_listed) const {
    double sum = 0;
    for (const auto& [weight, slope] : left_out_)
      sum += math::exp(math::log(weight) + std::max(0.0, tilt * (tilt + 1)) * slope - log_listed);
    return sum * (1 + 1e-6);  // proof: weighted-lines
  }

  std::vector<WeightedPart> parts_;
  std::vector<PartLeftOut> left_out_;
  double tilt_;
  std::vector<Ball> shares_;
  Ball listed_;
  double beside_;  // the mass of unlisted Gaussians, relative to that of the listed ones
};

// A sample R of the mixture is 1 + sum s_i (R_i - 1), R_i the samples of the parts: the true shares s_i add up to 1.
std::vector<MomentSample> WeightedLine::samples(double spacing, std::size_t count) const {
  std::vector<MomentSample> result(count, MomentSample{0, 0, 0, 0});
  std::vector<double> sizes(count);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto [share, share_error] = shares_[i];
    const std::vector<MomentSample> part = parts_[i].line->samples(spacing, count);
    for (std::size_t k = 1; k < count; ++k) {
      const auto [re_less_1, im, rounding, truncation] = part[k];
      const double modulus = std::sqrt((1 + re_less_1) * (1 + re_less_1) + im * im);
      const double size = std::sqrt(re_less_1 * re_less_1 + im * im);
      const double turned = math::expm1((1 + std::fabs(tilt_) + spacing * static_cast<double>(k)) * parts_[i].error);
      const double parameters = turned < 1e-3 ? 2.01 * turned : 2.0;  // proof: weighted-lines
      const double cut = std::min(truncation, 1 + modulus);           // both moduli are at most 1
      result[k].re_less_1 += share * re_less_1;
      result[k].im += share * im;
      result[k].rounding += share * (rounding + parameters);        // proof: weighted-lines
      result[k].rounding += share_error * (size + rounding + cut);  // proof: weighted-lines
      result[k].truncation += share * cut;                          // proof: weighted-lines
      sizes[k] += share * size;
    }
  }
  const double each = static_cast<double>(parts_.size() + 4);
  for (std::size_t k = 1; k < count; ++k) {
    result[k].rounding = 1.01 * result[k].rounding + u * each * sizes[k];  // proof: weighted-lines
    result[k].truncation = 1.01 * result[k].truncation + 2 * beside_;      // proof: weighted-lines
  }
  return result;
}

class PublicMixture final : public DominatingPair {
 public:
  PublicMixture(std::vector<Choice> choices, PartLeftOut rest) : choices_(std::move(choices)), rest_(rest) {}

  // All quantities are linear in the pair. Weights are off by 2 u, products and sums by as much again each.
  PairCells integrate(std::span<const double> edges) const override {
    return combined([&](const DominatingPair& pair) { return pair.integrate(edges); }, edges.size() - 1);
  }
  PairCells integrate_inner(std::span<const double> edges) const override {
    return combined([&](const DominatingPair& pair) { return pair.integrate_inner(edges); }, edges.size() - 1);
  }

  // That of each part; an unlisted one is as far from its own reverse.
  std::shared_ptr<const DominatingPair> reverse() const override {
    std::vector<Choice> choices;
    for (const auto& [weight, pair, error] : choices_) choices.push_back({weight, pair->reverse(), error});
    return public_mixture(std::move(choices), rest_);
  }

  LossNodes nodes() const override {
    std::vector<std::pair<double, double>> all;
    for (const Choice& choice : choices_) {
      const LossNodes part = choice.pair->nodes();
      const double log_weight = math::log(choice.weight);
      for (std::size_t i = 0; i < part.loss.size(); ++i) all.emplace_back(part.loss[i], part.log_mass[i] + log_weight);
    }
    sort_by(all, [](const auto& node) { return node.first; });
    LossNodes nodes;
    nodes.loss.reserve(all.size()), nodes.log_mass.reserve(all.size());
    for (const auto& [loss, log_mass] : all) {
      nodes.loss.push_back(loss);
      nodes.log_mass.push_back(log_mass);
    }
    return nodes;
  }

  double loss_infimum() const override {
    double least = infinity;
    for (const Choice& choice : choices_) least = std::min(least, choice.pair->loss_infimum() - choice.error);
    return least;
  }

  double loss_supremum() const override {
    if (rest_.weight > 0) return infinity;
    double largest = -infinity;
    for (const Choice& choice : choices_) largest = std::max(largest, choice.pair->loss_supremum() + choice.error);
    return largest;
  }

  double finite_loss_bound() const override {
    if (rest_.weight > 0) return infinity;
    double largest = -infinity;
    for (const Choice& choice : choices_)
      largest = std::max(largest, up(choice.pair->finite_loss_bound() + choice.error));  // proof: largest-loss
    return largest;
  }

  // Each part has a positive weight, so that its largest loss is one of the mixture.
  double largest_loss_from_below() const override {
    double largest = 0;
    for (const Choice& choice : choices_)
      largest = std::max(largest, down(choice.pair->largest_loss_from_below() - choice.error));  // proof: largest-loss
    return largest;
  }

  Interval infinity_mass() const override { return {0, rest_.weight}; }

  // The moment is linear in the pair; a loss above `top` is one of a part's above `top` less its error.
  double tail_moment_bound(double top, double t) const override {
    double sum = 0;
    for (const auto& [weight, pair, error] : choices_)
      sum += weight * (1 + error) * math::exp(t * error) * pair->tail_moment_bound(top - error, t);
    return sum * (1 + rounding() + 16 * u);
  }

  // The moment is linear in the pair. Each end is summed in units of the largest part's end: within 745 u of a part in
  // that unit.
  Interval log_moment_bounds(double t) const override {
    constexpr double unknown = infinity;
    std::vector<Interval> parts;
    double unit = -unknown, off = (760 + static_cast<double>(choices_.size())) * u;
    for (const auto& [weight, pair, error] : choices_) {
      const auto [lower, upper] = pair->log_moment_bounds(t);
      const double log_weight = math::log(weight);
      parts.push_back({lower + log_weight, upper + log_weight});
      unit = std::max(unit, parts.back().upper);
      off = std::max(off, (t + 2) * error + u * (760 + 4 * (std::fabs(log_weight) + std::fabs(upper))));
    }
    if (!std::isfinite(unit)) return {-unknown, unknown};
    double least = -unknown, low = 0, high = 0;
    for (const auto& part : parts) least = std::max(least, part.lower);
    for (const auto& [lower, upper] : parts) {
      low += std::isfinite(least) ? math::exp(lower - least) : 0.0;
      high += math::exp(upper - unit);
    }
    if (rest_.weight > 0)  // proof: weighted-lines
      high += math::exp(math::log(rest_.weight) + t * (t + 1) * rest_.slope - unit) * (1 + 1e-6);
    return {std::isfinite(least) ? least + math::log(low) - 2 * off - 4 * u * std::fabs(least) : -unknown,
            unit + math::log(high) + 2 * off};  // proof: log-moments
  }

  // The mixture's moments are at least 1: a part that hardly adds to them needs fewer nodes.
  std::unique_ptr<MgfLine> mgf_line(const LineNeeds& needs) const override {
    constexpr double least_accuracy = 12;  // [nats]
    std::vector<WeightedPart> parts;
    std::vector<PartLeftOut> left_out;
    if (rest_.weight > 0) left_out.push_back(rest_);
    for (const auto& [weight, pair, error] : choices_) {
      if (!((3 + needs.tilt) * error < largest_line_error)) return nullptr;
      LineNeeds own = needs;
      own.cut = needs.cut / weight;
      const double share = math::log(weight) + log_moment_at_most(*pair, needs.tilt);
      own.log_accuracy =
          std::max(std::min(needs.log_accuracy, least_accuracy), needs.log_accuracy + std::min(0.0, share));
      for (const WeightedPart& part : parts) own.most_nodes -= std::min(own.most_nodes, part.line->size());
      parts.push_back({weight, pair->mgf_line(own), error});
      // Where losses are unbounded, the largest losses of one part rule the moments as much as those of all parts do.
      const bool is_whole = parts.back().line && parts.back().line->left_out() == 0;
      if (!parts.back().line || (needs.cut > 0 && is_whole && pair->loss_supremum() == infinity)) return nullptr;
    }
    if (parts.empty()) return nullptr;
    return std::make_unique<WeightedLine>(std::move(parts), std::move(left_out), needs.tilt);
  }

  // E_P[e^((a - 1) L)] is a mean of the parts' moments, hence at most the largest one, and at least w times it.
  double renyi_slope_bound(double order) const override {
    double largest = rest_.weight > 0 ? rest_.slope : 0;  // proof: zcdp
    for (const Choice& choice : choices_)
      largest = std::max(largest, choice.pair->renyi_slope_bound(order) + choice.error);
    return largest * (1 + 4 * u);
  }
  double renyi_slope_limit() const override {
    double largest = 0;
    for (const Choice& choice : choices_) largest = std::max(largest, choice.pair->renyi_slope_limit());
    return largest;
  }

  double total_variation_bound() const override {
    double sum = 0;
    for (const Choice& choice : choices_) sum += choice.weight * (choice.pair->total_variation_bound() + choice.error);
    return std::min(1.0, sum * (1 + rounding()) + rest_.weight);
  }

 private:
  template <class Integrate>
  PairCells combined(Integrate&& integrate_part, std::size_t count) const {
    PairCells result;
    result.cells.resize(count);
    for (const auto& [weight, pair, error] : choices_) {
      const PairCells part = integrate_part(*pair);
      for (std::size_t i = 0; i < result.cells.size(); ++i) {
        result.cells[i].p += weight * part.cells[i].p;
        result.cells[i].above += weight * part.cells[i].above;
        result.cells[i].below += weight * part.cells[i].below;
      }
      result.lower_tail_p += weight * part.lower_tail_p;
      result.lower_tail_q += weight * part.lower_tail_q;
      result.upper_tail_p += weight * part.upper_tail_p;
      result.upper_tail_above += weight * part.upper_tail_above;
      result.mass_error = std::max(result.mass_error, part.mass_error + error);
      result.share_error = std::max(result.share_error, part.share_error + 2 * error);
      result.share_error_p = std::max(result.share_error_p, part.share_error_p);
      result.loss_error = std::max(result.loss_error, part.loss_error + error);
      result.edge_error = std::max(result.edge_error, part.edge_error);
    }
    result.mass_error += rounding();  // proof: cell-rounding
    result.share_error += rounding();
    result.lower_tail_q *= 1 + rounding();
    result.infinity_mass = rest_.weight;
    return result;
  }

  // log of the terms that losses below and above 1 / t add to E[e^(t L)].
  static double log_moment_at_most(const DominatingPair& pair, double t) {
    if (t < 0) return 0;
    const double top = 1 / std::max(t, 1e-3);
    return math::log(math::exp(t * top) + pair.tail_moment_bound(top, std::max(t, 1e-3)));
  }

  double rounding() const { return (4 + static_cast<double>(choices_.size())) * u; }

  std::vector<Choice> choices_;
  PartLeftOut rest_;
};

}  // namespace

std::shared_ptr<const DominatingPair> public_mixture(std::vector<Choice> choices, PartLeftOut rest) {
  return std::make_shared<PublicMixture>(std::move(choices), rest);
}

}  // namespace hockeystick
