// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/moment_strips.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double many_nodes = 250;  // beyond which cells are worth their time
constexpr double width = 0.5;       // of a cell; no step is wider than half of it
constexpr std::size_t cells_at_once = 8;

}  // namespace

MomentStrips::MomentStrips(const LogMixture& mixture, const SmoothWeights& weights, const LineNeeds& needs)
    : weights_(weights),
      needs_(needs),
      steepest_(mixture.steepest()),
      sides_(std::fabs(weights.ahead) + std::fabs(weights.behind)) {  // proof: mgf-trapezoid
  const double widest = std::min(0.97 * pi / steepest_, 12.0);
  const bool falls = weights.bends(1) > 0;
  for (std::size_t i = 0; i < strips_.size(); ++i) {
    const double a = widest * static_cast<double>(i + 1) / static_cast<double>(strips_.size());
    const double bend = falls ? -math::log(math::cos(steepest_ * a / 2)) : 0.0, rise = sides_ * steepest_ * a;
    const double needed = needs.log_accuracy + a * a / 2 + needs.highest * bend + needs.frequency * rise;
    strips_[i] = {a, bend, rise};
    step_ = std::max(step_, 2 * pi * a / needed);
  }
  // Cells take the growth to be monotone.
  if (weights.behind > 0 || !(2 * std::sqrt(2 * needs.log_accuracy) > many_nodes * step_)) return;
  double a = widest;
  for (Height& height : cells_.heights) {
    height = {a, a * steepest_, -math::log(math::cos(a * steepest_ / 2))};
    a *= 0.72;
  }
  make_cells(mixture);
  const double most = 3.2 * math::exp(-needs.log_accuracy);
  const auto is_small = [&](double& error, double step, double tilt, double frequency) {
    return (error = error_by_cells(step, tilt, frequency)) <= most;
  };
  const double least_step =
      std::max(1.3 * step_, width * static_cast<double>(cells_.x.size()) / static_cast<double>(needs.most_nodes));
  for (double step = width / 2; step > least_step && !cells_.x.empty(); step *= 0.65)
    if (is_small(on_line_, step, needs.tilt, needs.frequency) && is_small(at_tilt_, step, needs.tilt, 0) &&
        is_small(at_lowest_, step, needs.lowest, 0) && is_small(at_highest_, step, needs.highest, 0)) {
      step_ = step;
      return;
    }
  cells_.x.clear();
}

// The error rises with the step and the frequency.
double MomentStrips::error(double step, double tilt, double frequency) const {
  const double by_strips = error_by_strips(step, tilt, frequency);
  if (cells_.x.empty()) return by_strips;
  if (tilt == needs_.tilt && frequency <= needs_.frequency)
    return std::min(by_strips, frequency == 0 ? at_tilt_ : on_line_);
  if (frequency == 0 && tilt == needs_.lowest) return std::min(by_strips, at_lowest_);
  if (frequency == 0 && tilt == needs_.highest) return std::min(by_strips, at_highest_);
  return std::min(by_strips, error_by_cells(step, tilt, frequency));
}

double MomentStrips::error_by_strips(double step, double tilt, double frequency) const {
  double least = infinity;
  for (const auto& [a, bend, rise] : strips_)
    least = std::min(least, a * a / 2 + tilt * bend + frequency * rise - 2 * pi * a / step);
  // proof: mgf-trapezoid
  return least < -1 ? 3.2 * math::exp(least) : infinity;  // 2 / (1 - e^-1), and rounding of 1e-2 in the exponent
}

// log of what the integrand is larger by at a height, over cells where slopes are at most these. e^lambda off the axis
// over e^lambda on it is a mean of e^(i s a), s of mean at most the slope and at most S: its imaginary part is at most
// t = a slope, and its real part at least 1 - a S t / 2, as 1 - cos v <= v^2 / 2.
MomentStrips::Exponents MomentStrips::exponents_at(const Height& height, Slopes slopes, double tilt,
                                                   double frequency) const {
  const auto [a, all, all_bend] = height;
  const double t = a * slopes.here * (1 + 1e-9), shrunk = 1 - t * all / 2;
  const double bends = weights_.bends(tilt);
  const double anywhere = a * a / 2 + frequency * sides_ * all + bends * all_bend;  // proof: mgf-trapezoid
  if (!(shrunk > 0)) return {infinity, anywhere};
  double by_slope = a * a / 2 + frequency * t / shrunk, bent = shrunk;  // proof: mgf-trapezoid
  if (weights_.behind != 0) {
    const double behind = a * slopes.behind * (1 + 1e-9);
    bent = 1 - behind * all / 2;
    if (!(bent > 0)) return {infinity, anywhere};
    by_slope += frequency * behind / bent;  // proof: mgf-trapezoid
  }
  if (bends > 0) by_slope -= bends * math::log(bent) * (1 + 1e-9);  // proof: mgf-trapezoid
  return {by_slope, anywhere};
}

// Ends from far below to where the law of every tilt is negligible.
void MomentStrips::make_cells(const LogMixture& mixture) {
  const double reach = std::sqrt(2 * needs_.log_accuracy) + 4;
  const double top = std::max(0.0, weights_.growth(needs_.highest) * steepest_) + reach;
  const double count = std::ceil((top + reach) / width / cells_at_once) * cells_at_once;
  if (!(count <= static_cast<double>(needs_.most_nodes))) return;
  const double first = -std::ceil(reach / width) * width;
  const auto ends = static_cast<std::size_t>(count);
  for (std::size_t k = 0; k < ends; ++k) cells_.x.push_back(first + width * static_cast<double>(k));
  cells_.at.resize(ends);
  for (std::size_t from = 0; from < ends; from += cells_at_once)
    weights_.evaluate(mixture, std::span(cells_.x).subspan(from, cells_at_once),
                      std::span(cells_.at).subspan(from, cells_at_once));
}

// log of M(tilt) sqrt(2 pi) from below: in each cell both factors where they are smallest.
double MomentStrips::log_moment_below(double tilt) const {
  const bool rises = weights_.growth(tilt) > 0;
  double most = -infinity, sum = 0;
  for (std::size_t k = 0; k + 1 < cells_.x.size(); ++k) {
    const SidedLog& end = cells_.at[rises ? k : k + 1];
    const double x = std::max(std::fabs(cells_.x[k]), std::fabs(cells_.x[k + 1]));
    // proof: mgf-trapezoid
    const double log = weights_.grown(end, tilt) - weights_.grown_error(end, tilt) - x * x / 2;
    if (log > most) sum *= math::exp(most - log), most = log;
    sum += math::exp(log - most);
  }
  return most + math::log(sum * width) - 1e-6;
}

// A path above the axis and its mirror image, flat over each cell at the height that is best there: on it the integrand
// is divided by e^(2 pi a / step) - 1. Where the height changes, at the end of a cell, a convex exponent is largest at
// one of both heights. Where next to nothing is left the path comes down between two nodes, and what lies beyond counts
// as it is, in the sum and in the integral.
double MomentStrips::error_by_cells(double step, double tilt, double frequency) const {
  const std::size_t last = cells_.x.size() - 1;
  const double rate = weights_.growth(tilt);
  const double below = log_moment_below(tilt);
  const auto at = [&](const SidedLog& end) {
    return weights_.grown(end, tilt) + weights_.grown_error(end, tilt);  // proof: mgf-trapezoid
  };
  const auto most_in = [&](std::size_t k) {
    const double l = cells_.x[k], r = cells_.x[k + 1], x = l > 0 ? l : r < 0 ? r : 0.0;
    return at(cells_.at[rate > 0 ? k + 1 : k]) - x * x / 2 - below;  // proof: mgf-trapezoid
  };
  const auto& heights = cells_.heights;
  // 2 / (e^v - 1) is at most 3.2 e^-v from v = 1 on and 2 / v anywhere.
  const auto exponents_of = [&](std::size_t j, Slopes slopes) {
    const double v = 2 * pi * heights[j].a / step;
    const double fall = v > 1 ? v : math::log(1.6 * v) - 1e-9;  // proof: mgf-trapezoid
    const auto [by_slope, anywhere] = exponents_at(heights[j], slopes, tilt, frequency);
    return Exponents{by_slope - fall, anywhere - fall};
  };
  const double nothing = -needs_.log_accuracy - 20, nothing_at_all = math::exp(nothing);
  const auto power = [&](double log) { return log < nothing ? nothing_at_all : math::exp(std::min(700.0, log)); };
  // Below the first end lambda falls by no more than its slope there, and rises by at most S x beyond the last, where
  // lambda(-x) falls by no more than its slope there.
  const double low = -cells_.x.front(), high = cells_.x.back();
  if (!(low > std::max(0.0, -rate) * cells_.at.front().here.slope + 1)) return infinity;
  const double behind = -weights_.growth_behind(tilt) * cells_.at.back().behind.slope;
  if (!(high > std::max(0.0, rate) * steepest_ + behind * (1 + 1e-9) + 1)) return infinity;
  double beyond = (2 + step) * power(at(cells_.at[last]) - high * high / 2 - below);  // proof: mgf-trapezoid
  std::size_t end = last;
  while (end > 1) {
    const double more = beyond + 2 * (width + step) * power(most_in(end - 1));  // proof: mgf-trapezoid
    if (!(more <= 0.01 * math::exp(-needs_.log_accuracy))) break;
    beyond = more, --end;
  }
  if (end == last) return infinity;
  double sum = beyond;
  std::size_t flat = 0;  // the best height by what holds anywhere
  double by_height = exponents_of(0, {}).anywhere;
  for (std::size_t next = 1; next < heights.size() && 2 * pi * heights[next].a > step; flat = next++) {
    const double at_next = exponents_of(next, {}).anywhere;
    if (!(at_next < by_height)) break;
    by_height = at_next;
  }
  std::size_t best = 0, used = heights.size();  // the best height by slope for the last cell, and its height
  double least = 0;                             // the exponent there
  // `from`: the slopes at the end of the cell before, where the height changes.
  const auto add = [&](double log, Slopes from, Slopes slopes, double scale) {
    least = exponents_of(best, slopes).by_slope;
    for (const int way : {-1, 1})  // a convex exponent falls in one direction, towards lower heights where infinite
      for (std::size_t next; (next = best + static_cast<std::size_t>(way)) < heights.size(); best = next) {
        const double at_next = exponents_of(next, slopes).by_slope;
        if (!(at_next < least || (way > 0 && least == infinity))) break;
        least = at_next;
      }
    const std::size_t before = std::exchange(used, by_height < least ? flat : best);
    least = std::min(least, by_height);
    sum += scale * power(log + least);                       // proof: mgf-trapezoid
    if (used == before || before == heights.size()) return;  // it comes from far below at the first height
    const Exponents there = exponents_of(before, from), here = exponents_of(used, from);
    const double upright = std::min(std::max(there.by_slope, here.by_slope), std::max(there.anywhere, here.anywhere));
    sum += std::fabs(heights[used].a - heights[before].a) * power(log + upright);  // proof: mgf-trapezoid
  };
  // lambda'(x) is largest at the upper end of a cell, lambda'(-x) at its lower one, and S far below.
  const auto slopes_of = [&](std::size_t lower, std::size_t upper) {
    return Slopes{cells_.at[upper].here.slope, cells_.at[lower].behind.slope};
  };
  const Slopes first{cells_.at.front().here.slope, std::fabs(weights_.behind) * steepest_};
  add(at(cells_.at.front()) - low * low / 2 - below, first, first, 1);  // proof: mgf-trapezoid
  for (std::size_t k = 0; k <= end; ++k)
    add(most_in(k), slopes_of(k, k), slopes_of(k, k + 1), width);       // proof: mgf-trapezoid
  sum += heights[used].a * power(most_in(end) + std::max(0.0, least));  // proof: mgf-trapezoid
  return 3.2 * sum;
}

}  // namespace hockeystick
