// SPDX-License-Identifier: Apache-2.0
#include "account/contour.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "account/contour_sum.hpp"
#include "account/pilot.hpp"

namespace hockeystick {
namespace {

constexpr double most_work = 1e6;  // samples times nodes: about what a transform of 2^16 costs
constexpr double share = 0.01;     // of the tolerance on delta, for each of tail and aliases
constexpr double farthest_tilt = 500;
constexpr int most_attempts = 3;

Lines make_lines(const Direction& direction, const LineNeeds& needs) {
  Lines lines;
  for (const Term& term : direction) {
    lines.push_back(term.pair->moment_line(needs));
    if (!lines.back()) return {};
  }
  return lines;
}

double log_count(const Direction& direction) {
  double count = 0;
  for (const Term& term : direction) count += static_cast<double>(term.count);
  return std::log(count);
}

// Whether delta(epsilon) of a direction is certainly at most `goal`, by a Chernoff bound at a tilt.
bool is_below(const Direction& direction, double tilt, double epsilon, double goal) {
  const Lines lines = make_lines(direction, {tilt, tilt, tilt, 0, 12 + log_count(direction)});
  return !lines.empty() && log_chernoff_bound(direction, lines, tilt, epsilon) < std::log(goal) - 1e-12;
}

// One direction of one question. `wants_epsilon`: value is a delta and the answer an epsilon.
class Question {
 public:
  Question(const Direction& direction, bool wants_epsilon, double value, double tolerance)
      : direction_(direction), pilot_(direction), wants_epsilon_(wants_epsilon), value_(value), tolerance_(tolerance) {}

  std::optional<Answer> solve() {
    at_ = wants_epsilon_ ? pilot_.saddle_for_delta(value_) : pilot_.saddle_for_epsilon(value_);
    if (!at_.regular) at_.slope = 0.5 * at_.tilt;
    for (int i = 0; i < most_attempts; ++i) {
      if (!(at_.epsilon > 0) || !(at_.log_delta > -680)) return {};
      Contour contour = frame();
      if (!(contour.period > 0) || !(contour.higher < farthest_tilt)) return {};
      const Lines lines = lines_for(contour);
      if (lines.empty()) return {};
      const ContourSum sum(direction_, lines, contour);
      Answer found = enclose(sum, contour);
      if (std::isfinite(found.upper) && found.upper - found.lower <= tolerance_ * found.upper) return found;
      if (!learn(sum)) return {};
    }
    return {};
  }

 private:
  // The line through the saddle, or to the right of it where that is too near 0, and the period at which the
  // aliases become small by the forecast.
  Contour frame() {
    log_tolerance_ = wants_epsilon_ ? std::min(0.5, at_.slope * tolerance_ * at_.epsilon) : std::min(0.5, tolerance_);
    log_share_ = std::log(share * std::max(log_tolerance_, 1e-12));
    const double tilt = std::max(at_.tilt, 1 / at_.deviation);
    const double peak = tilt * std::log(tilt / (1 + tilt)) - std::log1p(tilt);
    const Cumulants k = pilot_.cumulants(tilt);
    const double wanted = std::max(1.0, k.value - tilt * at_.epsilon + peak - log_share_ - at_.log_delta);
    const auto above = pilot_.reach(tilt, wanted, 1, farthest_tilt);
    const auto below = pilot_.reach(tilt, wanted, -1, tilt);
    const double period = std::max(above.loss - at_.epsilon, at_.epsilon - below.loss);
    deviation_ = std::sqrt(k.variance);
    log_sum_ = at_.log_delta - (k.value - tilt * at_.epsilon) + std::log(1.02 * period);
    return {std::max(0.0, below.tilt), tilt, above.tilt, 1.02 * period, 0};
  }

  // The lines, and the count of samples after which the tail is small.
  Lines lines_for(Contour& contour) const {
    const double spacing = 2 * std::numbers::pi / contour.period;
    const double accuracy = log_count(direction_) - log_share_ + 2;
    double frequency = 2 * std::sqrt(2 * (2 - log_share_)) / deviation_;
    for (int i = 0; i < 4; ++i) {
      Lines lines = make_lines(direction_, {contour.lower, contour.tilt, contour.higher, frequency, accuracy});
      double nodes = 0;
      for (const auto& line : lines) nodes += static_cast<double>(line->size());
      const double most = most_work / nodes;
      double count = std::ceil(0.5 * frequency / spacing) + 2;
      while (count < most && log_tail(lines, spacing, count) > log_share_ + log_sum_)
        count = std::ceil(1.1 * count) + 1;
      if (lines.empty() || !(count < most)) return {};
      contour.count = static_cast<std::size_t>(count);
      if (count * spacing <= 1.3 * frequency) return lines;
      frequency = count * spacing;
    }
    return {};
  }

  // log of what the samples from `count` on add to the sum at most.
  double log_tail(const Lines& lines, double spacing, double count) const {
    double log_modulus = 0;
    for (std::size_t j = 0; j < lines.size(); ++j)
      log_modulus += pilot_.count(j) * std::log(std::max(lines[j]->modulus_bound(spacing * count), 1e-300));
    return log_modulus - std::log(spacing * spacing * count / 2);
  }

  Answer enclose(const ContourSum& sum, const Contour& contour) const {
    Answer result;
    const double epsilon = wants_epsilon_ ? sum.solve(value_, at_.epsilon) : value_;
    const ContourDelta found = sum.delta(epsilon);
    if (wants_epsilon_) {
      const auto [lower, upper] = sum.enclose(value_, epsilon);
      result.lower = lower;
      result.upper = upper;
    } else {
      result.upper = std::min(1.0, found.upper());
      result.lower = std::max(0.0, found.lower());
    }
    result.truncation = found.tail;
    result.wraparound = found.alias;
    result.rounding = found.rounding;
    result.size = contour.count;
    result.tilt = contour.tilt;
    result.passes = 1;
    result.method = "contour";
    return result;
  }

  // The forecast may have been far off (no normal law): take what the sum says instead.
  bool learn(const ContourSum& sum) {
    const double epsilon = wants_epsilon_ ? sum.solve(value_, at_.epsilon) : value_;
    const ContourDelta found = sum.delta(epsilon);
    if (!(epsilon > 0) || !(found.value > 0)) return false;
    at_ = pilot_.saddle_for_epsilon(epsilon);
    at_.epsilon = epsilon;
    at_.log_delta = std::log(found.value);
    at_.slope = sum.slope(epsilon);
    return at_.tilt > 0 && at_.slope > 0;
  }

  const Direction& direction_;
  Pilot pilot_;
  bool wants_epsilon_;
  double value_, tolerance_;
  Saddle at_{};
  double log_tolerance_ = 0, log_share_ = 0, deviation_ = 0, log_sum_ = 0;
};

std::optional<Answer> bounds(std::span<const Direction> directions, bool wants_epsilon, double value,
                             const Limits& limits) {
  std::optional<Answer> worst;
  for (const Direction& direction : directions) {
    if (worst &&
        is_below(direction, worst->tilt, wants_epsilon ? worst->lower : value, wants_epsilon ? value : worst->lower))
      continue;
    const std::optional<Answer> next = Question(direction, wants_epsilon, value, limits.tolerance).solve();
    if (!next) return {};
    if (!worst) {
      worst = next;
      continue;
    }
    Answer both = next->upper > worst->upper ? *next : *worst;
    both.lower = std::max(next->lower, worst->lower);
    both.upper = std::max(next->upper, worst->upper);
    worst = both;
  }
  return worst;
}

}  // namespace

std::optional<Answer> contour_epsilon_bounds(std::span<const Direction> directions, double delta,
                                             const Limits& limits) {
  return bounds(directions, true, delta, limits);
}

std::optional<Answer> contour_delta_bounds(std::span<const Direction> directions, double epsilon,
                                           const Limits& limits) {
  return bounds(directions, false, epsilon, limits);
}

}  // namespace hockeystick
