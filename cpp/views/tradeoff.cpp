// SPDX-License-Identifier: Apache-2.0
#include "views/tradeoff.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/switches.hpp"
#include "plan/grid_interval.hpp"
#include "pld/tradeoff.hpp"
#include "views/power_by_deltas.hpp"
#include "views/refine_interval.hpp"

namespace hockeystick {
namespace {

// False positive rates below this are asked one by one, each with its own tilt.
constexpr double rare = 1e-5;

// The false negative rate down to which the width is relative.
constexpr double smallest_miss = 1e-6;

double allowed_width(const Answer& answer, const Limits& limits) {
  if (answer.upper <= limits.floor()) return answer.upper;
  const double miss = std::max(1 - answer.lower, std::min(smallest_miss, answer.upper));
  return limits.tolerance * std::min(answer.upper, miss);
}

AllowedWidth within(const Limits& limits) {
  return [limits](const Answer& answer) { return allowed_width(answer, limits); };
}

// One direction that is not Gaussian; no fpr is 0 or 1.
class PowerSolver {
 public:
  // The wanted answers are at least `known`, the answers of other directions.
  PowerSolver(const Direction& direction, const Direction* reverse, std::span<const double> fprs,
              std::span<const double> known, const Limits& limits)
      : direction_(direction),
        reverse_(reverse),
        saddlepoint_(direction),
        fprs_(fprs),
        limits_(limits),
        answers_(fprs.size()) {
    const LargestLossPower by_largest(direction, limits.tolerance);
    const double apart = total_variation(direction);  // P - Q is at most the total variation
    for (std::size_t i = 0; i < fprs.size(); ++i) {
      const auto [lower, upper] = by_largest.at(fprs[i]);
      Answer& at = answers_[i];
      at.lower = std::max(known[i], lower);
      at.upper = std::min(upper, (fprs[i] + apart) * (1 + 4 * unit_roundoff));
      at.converged = at.upper - at.lower <= allowed_width(at, limits);
    }
    power_next_to_one(saddlepoint_, direction, fprs, limits.tolerance * smallest_miss, limits, answers_);
    for (Answer& at : answers_) at.converged = at.upper - at.lower <= allowed_width(at, limits);
  }

  std::vector<Answer> solve() {
    // A delta that is small beside both the rate and what the rate leaves of 1 hardly matters.
    double rarest = 0.5;
    for (const double fpr : fprs_) rarest = std::min({rarest, fpr, 1 - fpr});
    const double hardly = for_delta * limits_.tolerance * rarest;
    CurvePoints curve(direction_, reverse_, {limits_.tolerance, limits_.memory_limit, {}, hardly});
    power_by_deltas(saddlepoint_, curve, fprs_, limits_.tolerance, within(limits_), answers_);
    if (is_off("view_grids")) return std::move(answers_);
    std::vector<std::size_t> common;
    for (std::size_t i = 0; i < fprs_.size(); ++i)
      if (fprs_[i] >= rare && !answers_[i].converged) common.push_back(i);
    if (!common.empty()) solve(common, 0);
    for (std::vector<std::size_t> left = open(); !left.empty(); left = open()) {
      const std::size_t before = left.size();
      solve_neighbours(left);
      if (open().size() == before) break;
    }
    for (const std::size_t i : open()) {
      const std::array<std::size_t, 1> one{i};
      solve(one, saddlepoint_.tilt_for_rate(fprs_[i]));
    }
    return std::move(answers_);
  }

 private:
  // The questions that another tilt may still answer.
  std::vector<std::size_t> open() const {
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < fprs_.size(); ++i) {
      const Answer& at = answers_[i];
      const bool likely = at.passes > 0 && at.lower > 0.5;
      if (!at.converged && at.limited_by != "memory_limit" && !likely) left.push_back(i);
    }
    return left;
  }

  // The rarest rate, and those that the tilt halfway between serves as well: for a normal loss, a tail z deviations out
  // loses e^((z - z')^2 / 2) of the precision of a transform tilted for z'.
  void solve_neighbours(std::span<const std::size_t> left) {
    constexpr double apart = 3;  // two digits
    double farthest = 0;
    for (const std::size_t i : left) farthest = std::max(farthest, deviations(fprs_[i]));
    double nearest = farthest;
    std::vector<std::size_t> group;
    for (const std::size_t i : left) {
      if (deviations(fprs_[i]) < farthest - 2 * apart) continue;
      group.push_back(i);
      nearest = std::min(nearest, deviations(fprs_[i]));
    }
    const double middle = nearest + (farthest - nearest) / 2;
    solve(group, saddlepoint_.tilt_for_rate(math::exp(-middle * middle / 2)));
  }

  static double deviations(double fpr) { return std::sqrt(-2 * math::log(std::max(fpr, 1e-300))); }

  void solve(std::span<const std::size_t> which, double tilt) {
    double smallest = 1, largest = 0;
    for (const std::size_t i : which) {
      smallest = std::min(smallest, fprs_[i]);
      largest = std::max(largest, fprs_[i]);
    }
    const double interval = interval_for_power(saddlepoint_, smallest, largest, limits_.tolerance);
    const double tail_mass = std::max(1e-300, 1e-3 * limits_.tolerance * std::min(smallest, smallest_miss));
    const Refinement refinement{interval, tail_mass, std::min(tilt, 0.5 / interval)};
    refine_interval(direction_, refinement, limits_, answers_, which, within(limits_),
                    [&](const PldPair& pair, const Take& take) {
                      const CurveKinks above = certified_kinks(pair.upper), below = certified_kinks(pair.lower);
                      for (const std::size_t i : which) {
                        const PowerBound upper = power_above(above, fprs_[i]);
                        take(i, {power_below(below, fprs_[i], upper).value, upper.value});
                      }
                    });
  }

  const Direction& direction_;
  const Direction* reverse_;
  Saddlepoint saddlepoint_;
  std::span<const double> fprs_;
  Limits limits_;
  std::vector<Answer> answers_;
};

// Power at false positive rate 0: the mass at loss +inf.
Answer at_zero(const Direction& direction, const Limits& limits) {
  const UnionProbability infinite = infinity_mass(direction);
  return settled({infinite.lower(), infinite.upper()}, within(limits));
}

Answer exactly(double value) {
  return settled({value, value}, [](const Answer&) { return 0.0; });
}

Answer closed_form(const MergedDirection& merged, double fpr, const Limits& limits) {
  return settled(both({0, 1}, gaussian_power(merged.mu, merged.mu_error, fpr)), within(limits));
}

std::vector<Answer> one_direction(const Direction& direction, const Direction* reverse, std::span<const double> fprs,
                                  const std::vector<Answer>& known, const Limits& limits) {
  const MergedDirection merged = merge_gaussians(direction);
  std::vector<Answer> answers(fprs.size());
  std::vector<double> inner, inner_known;
  for (std::size_t i = 0; i < fprs.size(); ++i) {
    if (!(fprs[i] > 0 && fprs[i] < 1)) continue;
    inner.push_back(fprs[i]);
    inner_known.push_back(known[i].lower);
  }
  std::vector<Answer> solved;
  const bool needs_transform = !merged.terms.empty() && !merged.only_gaussian && !inner.empty();
  if (needs_transform) solved = PowerSolver(merged.terms, reverse, inner, inner_known, limits).solve();
  for (std::size_t i = 0, next = 0; i < fprs.size(); ++i) {
    const double fpr = fprs[i];
    if (merged.terms.empty() || fpr >= 1)
      answers[i] = exactly(fpr);
    else if (fpr <= 0)
      answers[i] = at_zero(merged.terms, limits);
    else
      answers[i] = needs_transform ? solved[next++] : closed_form(merged, fpr, limits);
  }
  return answers;
}

std::vector<Answer> worst_power(std::span<const Direction> directions, std::span<const Direction> reverses,
                                std::span<const double> fprs, const Limits& limits) {
  const auto is_enough = [&](const Answer& found) { return found.upper - found.lower <= allowed_width(found, limits); };
  std::vector<Answer> worst;
  for (const double fpr : fprs) worst.push_back(exactly(fpr));  // a test that ignores the output
  for (std::size_t j = 0; j < directions.size(); ++j) {
    const Direction* reverse = j < reverses.size() ? &reverses[j] : nullptr;
    const std::vector<Answer> answers = one_direction(directions[j], reverse, fprs, worst, limits);
    for (std::size_t i = 0; i < fprs.size(); ++i) worst[i] = worse(worst[i], answers[i], is_enough);
  }
  return worst;
}

}  // namespace

std::vector<Answer> power_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                 std::span<const double> fprs, const Limits& limits) {
  check_floating_point_environment();
  check_each("fpr", fprs, ranges::probability);
  return budgeted(directions, fprs, limits, {0, 1}, [&](std::span<const double> at, const Limits& within) {
    return worst_power(directions, reverses, at, within);
  });
}

}  // namespace hockeystick
