// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/weighted_line.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

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

  // What is left out only adds.
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

  // Of the parts' log M at a tilt.
  Sum sum_of(const std::vector<Ball>& moments, double tilt) const {
    Sum result;
    double top = -infinity, sum = 0, off = 0;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const double log_weight = math::log(parts_[i].weight), log = log_weight + moments[i].value;
      // proof: weighted-lines
      const double error = moments[i].error + u * (3 + 4 * std::fabs(log_weight) + std::fabs(log));
      result.shares.push_back({log, error + (1 + tilt) * parts_[i].error});  // proof: weighted-lines
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

  // Upper bound of what is left out over what is not.
  double left_out_above(double tilt, double log_listed) const {
    double sum = 0;
    for (const auto& [weight, slope] : left_out_)
      sum += math::exp(math::log(weight) + tilt * (tilt + 1) * slope - log_listed);
    return sum * (1 + 1e-6);  // proof: weighted-lines
  }

  std::vector<WeightedPart> parts_;
  std::vector<PartLeftOut> left_out_;
  double tilt_;
  std::vector<Ball> shares_;
  Ball listed_;
  double beside_;  // what is left out, over what is listed
};

// R = 1 + sum s_i (R_i - 1), which holds for the true shares, as they add up to 1.
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
      const double turned = math::expm1((1 + tilt_ + spacing * static_cast<double>(k)) * parts_[i].error);
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

}  // namespace

std::unique_ptr<MgfLine> weighted_line(std::vector<WeightedPart> parts, std::vector<PartLeftOut> left_out,
                                       double tilt) {
  return std::make_unique<WeightedLine>(std::move(parts), std::move(left_out), tilt);
}

}  // namespace hockeystick
