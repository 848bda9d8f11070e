// SPDX-License-Identifier: Apache-2.0
#include "plan/one_large_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/simd/vector_math.hpp"
#include "plan/cost.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// The losses of all steps in order, how often each is expected, and how often one of at least its size is.
struct ExpectedLosses {
  explicit ExpectedLosses(const Saddlepoint& saddlepoint) {
    std::vector<std::pair<double, double>> all;
    for (std::size_t term = 0; term < saddlepoint.terms(); ++term) {
      const auto [losses, log_mass] = saddlepoint.nodes(term);
      std::vector<double> mass(log_mass.begin(), log_mass.end());
      exponentials(mass);
      double sum = 0;
      for (const double each : mass) sum += each;
      for (std::size_t i = 0; i < mass.size(); ++i)
        all.emplace_back(losses[i], mass[i] * saddlepoint.count(term) / sum);
    }
    if (saddlepoint.terms() > 1) sort_by(all, [](const auto& each) { return each.first; });
    from.resize(all.size() + 1);
    for (const auto& [at, expected] : all) loss.push_back(at), count.push_back(expected);
    for (std::size_t i = all.size(); i-- > 0;) from[i] = from[i + 1] + count[i];
  }

  std::size_t index(double at) const {
    return static_cast<std::size_t>(std::lower_bound(loss.begin(), loss.end(), at) - loss.begin());
  }
  double above(double at) const { return from[index(at)]; }

  // Two large losses that make up epsilon.
  double two(double threshold, double epsilon) const {
    double sum = above(epsilon - threshold) * above(threshold);
    for (std::size_t i = index(threshold); i < loss.size() && loss[i] < epsilon - threshold; ++i)
      sum += count[i] * above(epsilon - loss[i]) / 2;
    return sum;
  }

  std::vector<double> loss, count, from;
};

// That small losses add up to much, by Chernoff's inequality at a few tilts.
struct SmallSums {
  SmallSums(const ExpectedLosses& losses, double threshold, double rate) {
    const auto end = losses.loss.begin() + static_cast<std::ptrdiff_t>(losses.index(threshold));
    for (double tilt = rate; tilt * threshold < 500; tilt *= 2) {
      std::vector<double> grown(losses.loss.begin(), end);
      for (double& at : grown) at *= tilt;
      exponentials_less_1(grown);
      double log_moment = 0;
      for (std::size_t i = 0; i < grown.size(); ++i) log_moment += losses.count[i] * grown[i];
      rows.emplace_back(tilt, log_moment);
    }
  }
  double above(double s) const {
    double least = 0;
    for (const auto& [tilt, log_moment] : rows) least = std::min(least, log_moment - tilt * s);
    return math::exp(least);
  }

  std::vector<std::pair<double, double>> rows;
};

// Where all large losses lie far beyond epsilon, delta does not fall there: tilts begin at the rate and must not begin
// at 0, from where no number of doublings leads to the last one.
double rate_of(double epsilon, double found) { return std::max(found, tuning::least_rate / epsilon); }

// What none, two and more large losses add, as it is going to be bounded; nothing where two alone add more than `most`.
std::optional<double> missed_by(const ExpectedLosses& losses, double threshold, double epsilon, double rate,
                                double most) {
  if (!(losses.two(threshold, epsilon) < most)) return {};
  const SmallSums small(losses, threshold, rate);
  const double all = losses.above(threshold);
  double two = all * all / 2;
  for (double s = 0.01 * epsilon; s < epsilon - threshold; s *= 2)
    two = std::min(two, losses.two(threshold, epsilon - s) + all * all / 2 * small.above(s));
  return small.above(epsilon) + two + all * all * all / 6;
}

}  // namespace

std::optional<LargeLossPlan> plan_large_loss(const Saddlepoint& saddlepoint, double epsilon, double tolerance) {
  if (!(epsilon > 0)) return {};
  const ExpectedLosses losses(saddlepoint);
  const std::size_t first = losses.index(epsilon);
  double delta = 0;
  for (std::size_t i = first; i < losses.loss.size(); ++i)
    delta += losses.count[i] * -math::expm1(epsilon - losses.loss[i]);
  if (!(delta > 0)) return {};
  LargeLossPlan plan{epsilon, 0, 0, 0, rate_of(epsilon, losses.from[first] / delta - 1), delta, infinity};
  // The lower the threshold, the less does the sum of small losses deviate; the least that misses little, or else what
  // misses the least.
  for (const double part : {0.03, 0.06, 0.12, 0.25, 0.35, 0.5}) {
    const auto missed = missed_by(losses, part * epsilon, epsilon, plan.rate, plan.missed * delta);
    if (!missed || !(*missed < plan.missed * delta)) continue;
    plan.missed = *missed / delta, plan.threshold = part * epsilon;
    if (plan.missed < tuning::contour_share * tolerance) break;
  }
  if (!(plan.missed < 1)) return {};
  double square = 0;
  for (std::size_t i = 0; i < losses.index(plan.threshold); ++i) {
    plan.centre += losses.count[i] * losses.loss[i];
    square += losses.count[i] * losses.loss[i] * losses.loss[i];
  }
  plan.deviation = std::sqrt(square);
  if (!(std::fabs(plan.centre) < epsilon / 8)) return {};
  return plan;
}

LargeLossPlan aimed(LargeLossPlan plan, const Direction& direction) {
  double delta = 0, called = 0;
  for (const Term& term : direction) {
    const PairCells cells = term.pair->integrate(std::array{plan.epsilon - plan.centre});
    delta += static_cast<double>(term.count) * (cells.upper_tail_above + cells.infinity_mass);
    called += static_cast<double>(term.count) * (cells.upper_tail_p - cells.upper_tail_above);
  }
  if (delta > 0 && called > 0) plan.delta = delta, plan.rate = rate_of(plan.epsilon, called / delta);
  return plan;
}

std::optional<double> large_loss_epsilon(const Saddlepoint& saddlepoint, double delta) {
  const ExpectedLosses losses(saddlepoint);
  double p = 0, q = 0;
  for (std::size_t i = losses.loss.size(); i-- > 0 && losses.loss[i] > 0;) {
    const double power = math::exp(losses.loss[i]);
    if (p - power * q >= delta) break;
    p += losses.count[i], q += losses.count[i] / power;
  }
  if (!(p - q > delta)) return {};
  const double alone = math::log((p - delta) / q);
  const std::optional<LargeLossPlan> plan = plan_large_loss(saddlepoint, alone, 0.1);
  if (!plan) return {};
  return alone + plan->centre + std::min(plan->rate * plan->deviation, 2.0) * plan->deviation / 2;
}

namespace {

// The curve is off by the square of the distance of two knots times the rate, by an eighth, wherever the sum of small
// losses lies; farther from there ever less.
struct KnotSpacing {
  KnotSpacing(const LargeLossPlan& plan, double tolerance, bool is_tail)
      : within(std::max(tuning::knot_deviations * plan.deviation, tuning::knot_part * plan.epsilon)),
        growth(std::clamp(tuning::knot_growth * std::sqrt(tolerance / 1e-3), 0.004, 0.1)) {
    const double width = is_tail ? tuning::knot_width * tolerance : std::sqrt(tuning::knot_width * tolerance);
    closest = std::min(width / plan.rate, within / 8);
  }
  double within, growth, closest = 0;

  // How many knots lie within that distance, on one side.
  double count(double most) const {
    const double beyond = std::max(0.0, most - within);
    return std::min(most, within) / closest + math::log1p(growth * beyond / closest) / growth;
  }
};

}  // namespace

double large_loss_cost(const LargeLossPlan& plan, std::size_t terms, double tolerance, bool is_tail) {
  const KnotSpacing spacing(plan, tolerance, is_tail);
  const double knots = spacing.count(plan.epsilon - plan.centre - plan.threshold) + spacing.count(plan.epsilon / 2);
  return cost::large_losses(static_cast<double>(terms), small_fineness(plan, tolerance), knots);
}

int small_fineness(const LargeLossPlan& plan, double tolerance) {
  const double varied = plan.rate * plan.deviation / std::sqrt(tolerance);
  return static_cast<int>(std::clamp(std::ceil(varied), 2.0, 64.0));
}

std::vector<double> large_losses(const LargeLossPlan& plan, double tolerance, bool is_tail) {
  const KnotSpacing spacing(plan, tolerance, is_tail);
  const auto distances = [&](double most) {
    std::vector<double> away;
    for (double y = spacing.closest / 2; y < most - spacing.closest / 4;
         y += spacing.closest + spacing.growth * std::max(0.0, y - spacing.within))
      away.push_back(y);
    return away;
  };
  const double middle = plan.epsilon - plan.centre;
  const std::vector<double> before = distances(middle - plan.threshold), behind = distances(plan.epsilon / 2);
  std::vector<double> losses{plan.threshold};
  for (std::size_t i = before.size(); i-- > 0;) losses.push_back(middle - before[i]);
  for (const double y : behind) losses.push_back(middle + y);
  losses.push_back(middle + plan.epsilon / 2);
  return losses;
}

std::vector<double> small_losses(const DominatingPair& pair, double threshold, double rare, int fineness) {
  const LossNodes nodes = pair.nodes();
  const double lowest = pair.loss_infimum();
  std::vector<double> kept;
  double below = 0, last = -infinity;
  for (std::size_t i = 0; i < nodes.loss.size() && nodes.loss[i] < threshold; ++i) {
    const double loss = nodes.loss[i];
    below += math::exp(nodes.log_mass[i]);
    if (below > rare) {
      if (kept.empty()) kept.push_back(last > -infinity ? last : std::max(loss - 1, lowest - 1e-13));
      if (loss > kept.back() + 1e-14 * (1 + std::fabs(loss))) kept.push_back(loss);
    }
    last = loss;
  }
  if (kept.empty()) kept.push_back(std::min(0.0, threshold) - 1);
  if (kept.front() - lowest < 1e-13 * (1 + std::fabs(lowest))) kept.front() = lowest - 1e-13 * (1 + std::fabs(lowest));
  while (kept.size() > 1 && kept.back() >= threshold) kept.pop_back();
  kept.push_back(threshold);
  std::vector<double> edges{kept.front()};
  for (std::size_t i = 0; i + 1 < kept.size(); ++i)
    for (int j = 1; j <= fineness; ++j) {
      const double edge = j < fineness ? kept[i] + (kept[i + 1] - kept[i]) * j / fineness : kept[i + 1];
      if (edge > edges.back()) edges.push_back(edge);
    }
  return edges;
}

}  // namespace hockeystick
