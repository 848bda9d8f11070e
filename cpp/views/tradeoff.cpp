// SPDX-License-Identifier: Apache-2.0
#include "views/tradeoff.hpp"

#include <algorithm>

#include "mechanisms/gaussian/gaussian_tradeoff.hpp"
#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "methods/trivial_bounds.hpp"
#include "numeric/rounding.hpp"
#include "views/power_by_deltas.hpp"

namespace hockeystick {
namespace {

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
    CurvePoints curve(direction_, reverse_, {limits_.tolerance, limits_.memory_limit});
    power_by_deltas(saddlepoint_, curve, fprs_, limits_.tolerance, within(limits_), answers_);
    for (Answer& at : answers_)
      if (!at.converged) curve.explain(at);
    return std::move(answers_);
  }

 private:
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

bool is_enough(const Answer& found, const Limits& limits) {
  return found.upper - found.lower <= allowed_width(found, limits);
}

std::vector<Answer> worst_power(std::span<const Direction> directions, std::span<const Direction> reverses,
                                std::span<const double> fprs, const Limits& limits) {
  std::vector<Answer> worst;
  for (const double fpr : fprs) worst.push_back(exactly(fpr));  // a test that ignores the output
  for (std::size_t j = 0; j < directions.size(); ++j) {
    const Direction* reverse = j < reverses.size() ? &reverses[j] : nullptr;
    const std::vector<Answer> answers = one_direction(directions[j], reverse, fprs, worst, limits);
    for (std::size_t i = 0; i < fprs.size(); ++i)
      worst[i] = worse(worst[i], answers[i], [&](const Answer& found) { return is_enough(found, limits); });
  }
  return worst;
}

}  // namespace

std::vector<Answer> power_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                 std::span<const double> fprs, const Limits& limits) {
  check_floating_point_environment();
  check_each("fpr", fprs, ranges::probability);
  const auto ask = [&](std::span<const double> at, const Limits& within) {
    return worst_power(directions, reverses, at, within);
  };
  return budgeted(directions, fprs, limits, {0, 1}, ask, [&](const Answer& found) { return is_enough(found, limits); });
}

}  // namespace hockeystick
