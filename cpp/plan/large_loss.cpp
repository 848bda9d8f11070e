// SPDX-License-Identifier: Apache-2.0
#include "plan/large_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "mechanisms/loss_sketch.hpp"
#include "numeric/elementary.hpp"
#include "numeric/order.hpp"
#include "numeric/root.hpp"
#include "numeric/simd/vector_math.hpp"
#include "plan/cost.hpp"
#include "plan/normal_tail.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// The losses of all steps in order, how often each is expected, and how often one of at least its size is.
struct ExpectedLosses {
  struct Node {
    double loss, expected;
    std::size_t term;
  };

  explicit ExpectedLosses(const Saddlepoint& saddlepoint) {
    std::vector<Node> all;
    for (std::size_t term = 0; term < saddlepoint.terms(); ++term) {
      const auto [losses, log_mass] = saddlepoint.nodes(term);
      std::vector<double> mass(log_mass.begin(), log_mass.end());
      exponentials(mass);
      double sum = 0;
      for (const double each : mass) sum += each;
      for (std::size_t i = 0; i < mass.size(); ++i)
        all.push_back({losses[i], mass[i] * saddlepoint.count(term) / sum, term});
      steps.push_back(saddlepoint.count(term));
    }
    if (saddlepoint.terms() > 1) sort_by(all, &Node::loss);
    from.resize(all.size() + 1);
    for (const auto& [at, expected, term] : all) loss.push_back(at), count.push_back(expected), term_of.push_back(term);
    for (std::size_t i = all.size(); i-- > 0;) from[i] = from[i + 1] + count[i];
  }

  std::size_t index(double at) const {
    return static_cast<std::size_t>(std::lower_bound(loss.begin(), loss.end(), at) - loss.begin());
  }
  double above(double at) const { return from[index(at)]; }

  // The part of all pairs of losses above a threshold that are of two steps.
  double share_of_two(double threshold) const {
    std::vector<double> own(steps.size());
    double alone = 0;
    for (std::size_t i = index(threshold); i < loss.size(); ++i) own[term_of[i]] += count[i];
    for (std::size_t term = 0; term < steps.size(); ++term) alone += own[term] * own[term] / steps[term];
    const double all = above(threshold);
    return all > 0 ? std::max(0.0, 1 - alone / (all * all)) : 1;
  }

  // Two large losses that make up epsilon.
  double two(double threshold, double epsilon) const {
    double sum = above(epsilon - threshold) * above(threshold);
    for (std::size_t i = index(threshold); i < loss.size() && loss[i] < epsilon - threshold; ++i)
      sum += count[i] * above(epsilon - loss[i]) / 2;
    return sum;
  }

  std::vector<double> loss, count, from, steps;  // `steps`: the count of each term
  std::vector<std::size_t> term_of;
};

// The first `small` losses are small; their sum is about normal.
struct SmallAndLarge : ExpectedLosses {
  using ExpectedLosses::ExpectedLosses;

  // Counts losses below half of epsilon as small. True if their sum hardly reaches epsilon.
  bool is_decided_at(double epsilon) {
    double square = 0;
    small = 0, expected = mean = 0;
    for (; small < loss.size() && loss[small] < epsilon / 2; ++small)
      mean += count[small] * loss[small], square += count[small] * loss[small] * loss[small];
    for (std::size_t i = small; i < loss.size(); ++i) expected += count[i];
    deviation = std::sqrt(square);
    return epsilon > tuning::far_apart * deviation;
  }
  // Whether two large losses in one run are too rare to affect delta.
  bool is_one(double delta) const { return expected * expected < tuning::two_large_losses * delta; }

  // log delta of runs with at most one large loss. `most`: deviations of the small losses' sum that are counted.
  double log_delta(double epsilon, double most = 38) const {
    double sum = 1e-300 + above(epsilon - mean, most);
    for (std::size_t i = loss.size(); i > small; --i) {
      const double next = above(epsilon - loss[i - 1] - mean, most);
      if (next == 0) break;
      sum += count[i - 1] * next;
    }
    return math::log(sum);
  }
  // E (1 - e^(y - X))+ for a normal X of mean 0 and this deviation.
  double above(double y, double most) const {
    constexpr double farthest = 8;
    const double x = y / deviation;
    if (x > most) return 0;
    if (x < -farthest) return -math::expm1(y);
    return math::exp(-x * x / 2) * (scaled_normal_tail(x) - scaled_normal_tail(x + deviation));
  }

  // Empty unless the sum of small losses is nearly normal at this distance.
  std::optional<LargeLoss> at(double epsilon) const {
    constexpr double normal = 8, half = 0.7;  // deviations; log 2, about
    const double apart = deviation / 16, fall = log_delta(epsilon - apart) - log_delta(epsilon + apart);
    const LargeLoss found{epsilon, log_delta(epsilon), fall / (2 * apart)};
    if (log_delta(epsilon, normal) < found.log_delta - half) return {};
    return found;
  }

  std::size_t small = 0;
  double expected = 0;             // number of large losses
  double mean = 0, deviation = 0;  // of the sum of small losses
};

}  // namespace

std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most) {
  SmallAndLarge losses(saddlepoint);
  if (!losses.is_decided_at(epsilon)) return {};
  const std::optional<LargeLoss> found = losses.at(epsilon);
  if (!found || !(found->log_delta < log_most) || !losses.is_one(math::exp(found->log_delta))) return {};
  return found;
}

// Epsilon of large losses alone first. Then it is moved by half of the small losses' variance if that is little, or
// else found by bisection.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta) {
  constexpr int halvings = 12;
  constexpr double hardly_moved = 1;  // deviations times the slope
  const double delta = math::exp(log_delta);
  SmallAndLarge losses(saddlepoint);
  double p = 0, q = 0;
  for (std::size_t i = losses.loss.size(); i > 0; --i) {
    const double loss = losses.loss[i - 1], power = math::exp(loss);
    if (!(loss > 0 && p - power * q < delta)) break;
    p += losses.count[i - 1], q += losses.count[i - 1] / power;
  }
  const double alone = math::log((p - delta) / q);
  if (!(alone > 0) || !losses.is_decided_at(alone) || !losses.is_one(delta)) return {};
  const double slope = p / delta - 1, moved = slope * losses.deviation;
  if (moved < hardly_moved) return LargeLoss{alone + losses.mean + moved * losses.deviation / 2, log_delta, slope};
  const auto is_above = [&](double loss) { return losses.log_delta(loss) > log_delta; };
  return losses.at(halved(alone / 2, alone + 20 * losses.deviation, halvings, 0, is_above).lower);
}

namespace {

// A bound of the probability that small losses add up to much, by Chernoff's inequality at a few tilts.
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

// Forecasts the bounds of the parts that none, two and more large losses add; nothing where two alone add more than
// `most`.
std::optional<double> missed_by(const ExpectedLosses& losses, double threshold, double epsilon, double rate,
                                double most) {
  const double share = losses.share_of_two(threshold);
  if (!(share * losses.two(threshold, epsilon) < most)) return {};
  const SmallSums small(losses, threshold, rate);
  const double all = losses.above(threshold), pairs = share * all * all / 2;
  double two = pairs;
  for (double s = 0.01 * epsilon; s < epsilon - threshold; s *= 2)
    two = std::min(two, share * losses.two(threshold, epsilon - s) + pairs * small.above(s));
  return small.above(epsilon) + two + pairs * all / 3;
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
  // The lower the threshold, the less the sum of small losses deviates: the least threshold that misses little, or else
  // the one that misses the least.
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

// The error of the curve is an eighth of the square of the distance of two knots times the rate, near the sum of small
// losses; farther from there it is less.
struct KnotSpacing {
  KnotSpacing(const LargeLossPlan& plan, double tolerance, bool is_tail)
      : within(std::max(tuning::knot_deviations * plan.deviation, tuning::knot_part * plan.epsilon)),
        growth(std::clamp(tuning::knot_growth * std::sqrt(tolerance / 1e-3), 0.004, 0.1)) {
    const double width = is_tail ? tuning::knot_width * tolerance : std::sqrt(tuning::knot_width * tolerance);
    closest = std::min(width / plan.rate, within / 8);
  }
  double within, growth, closest = 0;

  // The number of knots within that distance, on one side.
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
