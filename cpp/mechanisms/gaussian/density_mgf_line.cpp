// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/density_mgf_line.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "mechanisms/gaussian/line_cells.hpp"
#include "mechanisms/gaussian/moment_decay.hpp"
#include "mechanisms/gaussian/moment_panels.hpp"
#include "mechanisms/gaussian/moment_strips.hpp"
#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/layer_cake.hpp"
#include "numeric/normal.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/scratch.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {
namespace {

// Steps and nodes are multiples of this, and nodes are below 2^12, so that nodes and their squares are exact.
constexpr double grain = 0x1p-14;
constexpr double farthest = 4096;
constexpr std::size_t few = 8;

SmoothWeights weights_of(SmoothForm form) {
  if (form == SmoothForm::remove) return {1, 1, 0};
  if (form == SmoothForm::add) return {0, -1, 0};
  return {1, 1, -1};
}

// A node: log(P / phi(0)), the loss, the loss's error, the relative error of a mass, and the slopes of lambda at x and
// -x.
struct Node {
  Node(double at, const SmoothWeights& weights, const SidedLog& logs)
      : x(at),
        base(weights.own * logs.here.value - at * at / 2),
        loss(weights.ahead * logs.here.value + weights.behind * logs.behind.value),
        loss_error(logs.here.error + std::fabs(weights.behind) * logs.behind.error + u * std::fabs(loss)),
        mass_error(weights.own * logs.here.error + u * (3 * std::fabs(base) + 5)),
        mass_error_by_tilt(loss_error + 3 * u * std::fabs(loss)),
        slope(logs.here.slope),
        slope_behind(logs.behind.slope) {}

  // A node of a panel, whose masses contain the weight. The node is off by `moved`, its square by one rounding, the
  // weight by three and the weight's log by four more.
  Node(const MomentPanels::Node& at, const SmoothWeights& weights, const SidedLog& logs) : Node(at.x, weights, logs) {
    weight = at.weight, log_weight = math::log(weight);
    base += log_weight;
    const double moved = u * (2 * std::fabs(x) + 8), by_loss = moved * (slope - weights.behind * slope_behind);
    loss_error += by_loss;
    mass_error_by_tilt += by_loss;
    // proof: mgf-rounding
    mass_error += moved * (std::fabs(x) + slope) + u * (x * x + std::fabs(base) + 5 * std::fabs(log_weight) + 4);
  }

  double exponent(double tilt) const { return base + tilt * loss; }
  // The relative error of a mass of e^-below units at a tilt.
  double error_at(double tilt, double below) const { return mass_error + tilt * mass_error_by_tilt + u * below; }

  double x, base, loss, loss_error, mass_error, mass_error_by_tilt, slope, slope_behind;
  double weight = 1, log_weight = 0;
};

// Masses at a tilt: P e^(tilt L) / (phi(0) e^log_unit) at the nodes.
struct Tilted {
  std::vector<double> mass;
  double log_unit, sum;
  // Errors relative to the sum: the rounding of the masses and of their sum, the error of the rule, the mass beyond the
  // nodes.
  double rounding, rule, tails = 0;
};

// The tilts of a line in the caller's terms: `from` + `sign` times the line's own tilts.
struct AskedTilts {
  double from = 0, sign = 1;
};

class DensityMgfLine final : public MgfLine {
 public:
  DensityMgfLine(const LogMixture& mixture, const SmoothWeights& weights, const LineNeeds& needs,
                 const AskedTilts& asked = {})
      : weights_(weights), steepest_(mixture.steepest()), needs_(needs), asked_(asked) {
    const bool may_cut = needs.cut > 0 && weights_.own > 0;
    if (!(may_cut ? make_panels(mixture) : make_equal_steps(mixture))) return;
    make_columns();
    tilted_ = at(needs.tilt);
    if (needs.frequency > 0) layers_.emplace(layers());
    is_built_ = true;
  }

  bool is_built() const { return is_built_; }
  std::size_t size() const override { return nodes_.size(); }

  Ball log_moment() const override { return log_sum(tilted_); }

  double log_moment_above(double asked) const override {
    const double tilt = asked_.sign * (asked - asked_.from);
    if (asked_.from + asked_.sign * tilt != asked) return infinity;  // proof: contour-complement
    const auto [value, error] = tilt == needs_.tilt ? log_moment() : log_sum(at(tilt));
    return value + error;
  }

  std::vector<MomentSample> samples(double spacing, std::size_t count) const override;

  double truncation(double frequency) const override {
    return tilted_.rule + 2 * tilted_.tails + rule_error(tilted_, needs_.tilt, frequency);
  }

  double left_out() const override { return panels_ ? panels_->left_out() : 0.0; }

  double modulus_bound(double frequency) const override {
    if (!layers_) return 1;
    const double by_layers = 1 - (1 - 1e-6) * layers_->modulus_gap(frequency) / tilted_.sum;  // proof: contour-tail
    // Below, a path off the axis may bound less closely than histograms.
    if (by_layers > 0.5) return by_layers;
    if (!decay_) decay_.emplace(decay());
    return std::min(by_layers, decay_->bound(frequency));
  }

 private:
  bool make_panels(const LogMixture& mixture) {
    panels_.emplace(mixture, weights_, needs_);
    const auto& panels = panels_->nodes();
    std::array<double, smooth_line_block> x;
    std::array<SidedLog, smooth_line_block> logs;
    nodes_.reserve(panels.size());
    for (std::size_t from = 0; from < panels.size(); from += x.size()) {
      const std::size_t count = std::min(x.size(), panels.size() - from);
      for (std::size_t i = 0; i < count; ++i) x[i] = panels[from + i].x;
      weights_.evaluate(mixture, std::span(x).first(count), logs);
      for (std::size_t i = 0; i < count; ++i) nodes_.emplace_back(panels[from + i], weights_, logs[i]);
    }
    return !nodes_.empty();
  }

  bool make_equal_steps(const LogMixture& mixture) {
    strips_.emplace(mixture, weights_, needs_);
    step_ = std::floor(strips_->step() / grain) * grain;
    if (!(step_ >= 64 * grain)) return false;
    if (weights_.growth(needs_.highest) * steepest_ > step_ * static_cast<double>(needs_.most_nodes)) return false;
    nodes_.reserve(2 * likely_nodes() + smooth_line_block);
    if (!march(mixture, -1)) return false;
    std::reverse(nodes_.begin(), nodes_.end());
    return march(mixture, 1);
  }

  // The error of the rule at a tilt, relative to the moment there.
  double rule_error(const Tilted& tilted, double tilt, double frequency) const {
    if (strips_) return strips_->error(step_, tilt, frequency);
    return panels_->error(tilt, frequency, tilted.log_unit) / tilted.sum * (1 + 1e-9);  // proof: moment-panels
  }

  // About the number of nodes on either side, of which a vector takes `few`.
  std::size_t likely_nodes() const {
    const double wanted = std::sqrt(2 * std::max(0.0, needs_.log_accuracy)) / step_ / few;
    return few * static_cast<std::size_t>(std::clamp(std::ceil(wanted), 1.0, double{smooth_line_block} / few));
  }

  // Nodes from 0 (or one step above) outwards until the rest is negligible at every tilt wanted, or cut.
  bool march(const LogMixture& mixture, int direction) {
    double most_low = -infinity, most_high = -infinity, first = direction > 0 ? step_ : 0.0;
    std::array<double, smooth_line_block> x;
    std::array<SidedLog, smooth_line_block> logs;
    std::size_t known = 0;
    for (std::size_t i = 0; nodes_.size() < needs_.most_nodes; ++i) {
      if (i == known) {
        known = known == 0 ? likely_nodes() : few;
        for (i = 0; i < known; ++i) x[i] = first + direction * step_ * static_cast<double>(i);
        first = x[known - 1] + direction * step_;
        weights_.evaluate(mixture, std::span(x).first(known), logs);
        i = 0;
      }
      if (!(std::fabs(x[i]) < farthest)) return false;
      nodes_.emplace_back(x[i], weights_, logs[i]);
      const double low = nodes_.back().exponent(needs_.lowest), high = nodes_.back().exponent(needs_.highest);
      most_low = std::max(most_low, low);
      most_high = std::max(most_high, high);
      if (low > most_low - needs_.log_accuracy || high > most_high - needs_.log_accuracy) continue;
      if (low + log_tail(needs_.lowest, direction) <= most_low - needs_.log_accuracy &&
          high + log_tail(needs_.highest, direction) <= most_high - needs_.log_accuracy)
        return true;
    }
    return false;
  }

  // The columns are padded by masses that underflow and have no error.
  void make_columns() {
    const std::size_t padded = (nodes_.size() + 7) / 8 * 8;
    columns_.assign(4 * padded, 0.0);
    double* const base = columns_.data();
    std::fill_n(base, padded, -1e300);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      base[i] = node.base, base[padded + i] = node.loss;
      base[2 * padded + i] = node.mass_error, base[3 * padded + i] = node.mass_error_by_tilt;
    }
  }

  // log of an upper bound of the sum beyond the last node, relative to that node. lambda' lies in [0, S] and increases:
  // going up, log(P e^(tilt L)) falls at a rate of at least x - a+ S - tilt lambda'(-x) from there on, a = own + tilt
  // ahead; going down, at least |x| - a- lambda'(x).
  double log_tail(double tilt, int direction) const {
    const Node& end = direction > 0 || nodes_.front().x >= nodes_.back().x ? nodes_.back() : nodes_.front();
    const double a = weights_.growth(tilt), b = weights_.growth_behind(tilt);
    const double rate = direction > 0 ? end.x - std::max(a, 0.0) * steepest_ + std::min(b, 0.0) * end.slope_behind
                                      : -end.x - std::max(-a, 0.0) * end.slope - std::max(b, 0.0) * steepest_;
    const double fall = step_ * rate * (1 - 1e-9);
    return fall > 0 ? -fall - math::log(-math::expm1(-fall)) : infinity;
  }

  Tilted at(double tilt) const {
    const std::size_t padded = columns_.size() / 4;
    const double* const base = columns_.data();
    Tilted result;
    result.mass.resize(padded);
    double sums[2];
    const TiltedMasses masses{base, base + padded, base + 2 * padded, base + 3 * padded, padded};
    result.log_unit = default_fft_kernel().tilted_masses(masses, tilt, result.mass.data(), sums);
    result.mass.resize(nodes_.size());
    result.sum = sums[0];
    result.rounding = 1.01 * (sums[1] / result.sum + 2 * u);  // proof: mgf-rounding
    result.rule = rule_error(result, tilt, 0);
    if (panels_) return result;
    const double above = result.mass.back() * math::exp(log_tail(tilt, 1));  // proof: mgf-trapezoid
    result.tails =                                                           // proof: mgf-trapezoid
        1.01 / result.sum * (result.mass.front() * math::exp(log_tail(tilt, -1)) + above);
    return result;
  }

  Ball log_sum(const Tilted& tilted) const {
    const double log_scaled = math::log(tilted.sum * (step_ * inverse_sqrt_two_pi));
    const double value = tilted.log_unit + log_scaled;
    const double relative = tilted.rounding + tilted.tails + tilted.rule;
    if (!(relative < 1e-3)) return {value, infinity};
    return {value, 1.001 * relative + u * (4 + 5 * std::fabs(log_scaled) + std::fabs(value))};
  }

  // As a density of L, P e^(tilt L) lies above bars over the losses of adjacent nodes.
  LayerCake layers() const {
    const std::size_t bars = nodes_.size() - 1;
    const Scratch<double, 128> heights(bars), widths(bars);
    const auto end_at = [this](std::size_t i) -> BarEnd {
      const Node& node = nodes_[i];
      return {node.x,           tilted_.mass[i] / node.weight, growth(node), node.loss, node.loss_error, node.slope,
              node.slope_behind};
    };
    BarEnd left = end_at(0);
    for (std::size_t i = 0; i < bars; ++i) {
      const BarEnd right = end_at(i + 1);
      const Bar bar = bar_between(left, right, weights_, needs_.tilt);
      heights[i] = bar.height / step_, widths[i] = bar.width;
      left = right;
    }
    return {heights.all(), widths.all()};
  }

  std::vector<CellEnd> corners() const {
    const double tilt = needs_.tilt;
    // Within 1e-3, or log_sum has none.
    const double log_unit = tilted_.log_unit + math::log(tilted_.sum * step_) - 2e-3;
    std::vector<CellEnd> result;
    result.reserve(nodes_.size() + 1);
    for (const Node& node : nodes_) {
      const double exponent = node.exponent(tilt), off = node.error_at(tilt, std::fabs(tilted_.log_unit - exponent));
      result.push_back(
          {node.x, exponent - node.log_weight - log_unit, growth(node), node.slope, node.slope_behind, off});
    }
    if (!panels_) return result;
    const auto& [x, logs] = panels_->end();
    const double grown = weights_.grown(logs, tilt), square = x * x / 2;
    const double rounding = 8 * u * (std::fabs(grown) + square + std::fabs(log_unit));
    result.push_back({x, grown - square - log_unit, grown, logs.here.slope, logs.behind.slope,
                      weights_.grown_error(logs, tilt) + rounding});
    return result;
  }

  // From above: the largest density between adjacent nodes, and the least slopes.
  MomentDecay decay() const {
    const std::vector<CellEnd> at = corners();
    // The sum beyond the last node and that node itself hold the integral beyond. None is above the last panel, and
    // below the first one the density falls at a rate of 1 at least.
    const double last = panels_ ? 0.0 : tilted_.mass.back();
    const double beyond = (tilted_.mass.front() / nodes_.front().weight + last) / tilted_.sum + tilted_.tails;
    return {steepest_,
            weights_.bends(needs_.tilt),
            decay_cells(at, weights_, needs_.tilt),
            {upright(at.front(), weights_), upright(at.back(), weights_)},
            1.01 * beyond};  // proof: moment-decay
  }

  double growth(const Node& node) const { return node.exponent(needs_.tilt) - node.log_weight + node.x * node.x / 2; }

  SmoothWeights weights_;
  double steepest_;
  LineNeeds needs_;
  AskedTilts asked_;
  std::optional<MomentStrips> strips_;  // the trapezoid rule, or else panels
  std::optional<MomentPanels> panels_;
  double step_ = 1;
  std::vector<Node> nodes_;      // by x
  std::vector<double> columns_;  // what all masses at a tilt are made of
  Tilted tilted_;
  mutable std::optional<MomentDecay> decay_;  // one line is used by one thread
  std::optional<LayerCake> layers_;           // none where no sample is needed off the real axis
  bool is_built_ = false;
};

std::vector<MomentSample> DensityMgfLine::samples(double spacing, std::size_t count) const {
  const auto point_at = [this](std::size_t i) {
    const Node& node = nodes_[i];
    const double off = node.error_at(needs_.tilt, tilted_.log_unit - node.exponent(needs_.tilt));
    return PointMass{tilted_.mass[i], node.loss, off, node.loss_error};  // proof: mgf-rounding
  };
  std::vector<MomentSample> result = samples_of({nodes_.size(), point_at, spacing}, count);
  // The error grows with the frequency: the last of several samples stands for all of them.
  const std::size_t some = std::max<std::size_t>(8, count / 16);
  for (std::size_t k = 1; k < count; k += some) {
    const std::size_t last = std::min(k + some, count) - 1;
    const double truncated = truncation(spacing * static_cast<double>(last));
    for (std::size_t i = k; i <= last; ++i) result[i].truncation = truncated, result[i].im *= asked_.sign;
  }
  return result;
}

}  // namespace

void SmoothWeights::evaluate(const LogMixture& mixture, std::span<const double> x, std::span<SidedLog> to) const {
  std::array<double, smooth_line_block> mirrored;
  std::array<LocalLog, smooth_line_block> logs;
  mixture.log_mixtures(x, logs);
  for (std::size_t i = 0; i < x.size(); ++i) to[i] = {logs[i], {}};
  if (behind == 0) return;
  for (std::size_t i = 0; i < x.size(); ++i) mirrored[i] = -x[i];
  mixture.log_mixtures(std::span(mirrored).first(x.size()), logs);
  for (std::size_t i = 0; i < x.size(); ++i) to[i].behind = logs[i];
}

// At z in (-1, 0) M(z) is the integral of phi e^(s lambda), s = z + 1 for removal and -z for addition; for replacement
// that of phi e^((1 - s) lambda(x) + s lambda(-x)), s = -z.
std::unique_ptr<MgfLine> smooth_line(const LogMixture& mixture, SmoothForm form, const LineNeeds& needs) {
  std::unique_ptr<DensityMgfLine> line;
  if (needs.tilt >= 0) {
    line = std::make_unique<DensityMgfLine>(mixture, weights_of(form), needs);
  } else {
    const AskedTilts asked = form == SmoothForm::remove ? AskedTilts{-1, 1} : AskedTilts{0, -1};
    const auto own = [&](double tilt) { return asked.sign * (tilt - asked.from); };
    LineNeeds within = needs;
    within.tilt = own(needs.tilt);
    std::tie(within.lowest, within.highest) = std::minmax({own(needs.lowest), own(needs.highest)});
    // proof: contour-complement
    if (needs.cut > 0 || asked.from + asked.sign * within.tilt != needs.tilt) return nullptr;
    const SmoothWeights weights = form == SmoothForm::replace ? SmoothWeights{1, -1, 1} : SmoothWeights{0, 1, 0};
    line = std::make_unique<DensityMgfLine>(mixture, weights, within, asked);
  }
  if (!line->is_built()) return nullptr;
  return line;
}

}  // namespace hockeystick
