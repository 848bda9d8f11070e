// SPDX-License-Identifier: Apache-2.0
#include "methods/single_big_jump.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "forecast/lattice_grid.hpp"
#include "methods/fft_composition.hpp"
#include "numeric/interval.hpp"
#include "numeric/root.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_terms = 8;

// A support point is met again in every table and every sum.
constexpr double most_points = 2e5, bytes_per_point = 1000;

// Shares of the width wanted: of two large losses; of what is cut at the top; of products that are not looked at.
constexpr double share_of_two = 0.05, share_of_top = 1e-3, share_unseen = 1e-4;

// By how much the goal may be missed from outside, of the width wanted, when epsilon is searched.
constexpr double search_step = 0.02;

// P-mass above each loss, over all steps of the nodes listed, by falling loss.
struct TailPoint {
  double loss, log_mass;
};

std::vector<TailPoint> tail_of(std::span<const LossNodes* const> nodes, std::span<const double> counts) {
  std::vector<std::pair<double, double>> all;
  for (std::size_t j = 0; j < nodes.size(); ++j)
    for (std::size_t k = 0; k < nodes[j]->loss.size(); ++k)
      all.emplace_back(nodes[j]->loss[k], nodes[j]->log_mass[k] + std::log(counts[j]));
  std::sort(all.rbegin(), all.rend());
  std::vector<TailPoint> tail;
  double log_sum = -infinity;
  for (const auto& [loss, log_mass] : all) {
    const double larger = std::max(log_sum, log_mass);
    log_sum = larger + std::log(std::exp(log_sum - larger) + std::exp(log_mass - larger));
    tail.push_back({loss, log_sum});
  }
  return tail;
}

// The loss above which the mass is e^log_mass, between nodes; the lowest where it never is.
double loss_at(std::span<const TailPoint> tail, double log_mass) {
  for (std::size_t k = 1; k < tail.size(); ++k) {
    const TailPoint &high = tail[k - 1], &low = tail[k];
    if (low.log_mass < log_mass) continue;
    if (high.log_mass >= log_mass) return high.loss;
    const double part = (log_mass - high.log_mass) / (low.log_mass - high.log_mass);
    return high.loss + part * (low.loss - high.loss);
  }
  return tail.back().loss;
}

// The points of a step in [from, to), without its mass at infinity.
StepPmf part_of(const StepPmf& step, std::size_t from, std::size_t to) {
  StepPmf part = step;
  part.index.assign(step.index.begin() + static_cast<std::ptrdiff_t>(from),
                    step.index.begin() + static_cast<std::ptrdiff_t>(to));
  part.mass.assign(step.mass.begin() + static_cast<std::ptrdiff_t>(from),
                   step.mass.begin() + static_cast<std::ptrdiff_t>(to));
  part.infinity_mass = part.reverse_infinity_mass = 0;
  return part;
}

std::size_t points_below(const StepPmf& step, double loss) {
  std::size_t count = 1;
  while (count < step.index.size() && step.loss(count) <= loss) ++count;
  return count;
}

double mass_of(const StepPmf& step) {
  CompensatedSum sum;
  for (const double mass : step.mass) sum.add(mass);
  return sum.value() * (1 + 4 * u);
}

// Of a composition of steps at their own losses, whatever they were tilted by.
std::vector<ComposedTerm> untilted(const Direction& direction, std::span<const StepPmf> steps) {
  std::vector<ComposedTerm> terms;
  for (std::size_t j = 0; j < steps.size(); ++j) terms.push_back({tilted(steps[j], 0, 0), direction[j].count});
  return terms;
}

// epsilon less a loss, moved by what this loss may be off by and by rounding, so that delta there is no less
// (direction -1) or no more (+1).
double remaining(double epsilon, const StepPmf& step, std::size_t k, int direction) {
  const double loss = step.loss(k);
  const double error = step.loss_error + 8 * u * (std::fabs(epsilon) + std::fabs(loss) + std::fabs(step.offset));
  return epsilon - loss + direction * error;
}

}  // namespace

SingleBigJump::SingleBigJump(const Direction& direction, const Saddlepoint& saddlepoint, bool wants_epsilon,
                             double value, const Limits& limits) {
  if (direction.size() > most_terms) return;
  forecast(direction, saddlepoint, wants_epsilon, value, limits.tolerance);
  if (!(slope_ > 0) || !std::isfinite(slope_) || !(epsilon_ > 0)) return;
  const double rate = saddlepoint.total_count() * slope_ * (1 + slope_) / 8;
  double smallest = infinity;  // of the splits
  for (const double loss : splits_) smallest = std::min(smallest, loss > 0 ? loss : infinity);
  const double steepest = 0.5 * std::fabs(log_delta_) / smallest;  // tilt that the small losses bear
  const double deviation =
      std::sqrt(saddlepoint.cumulants(0).variance / saddlepoint.total_count());  // where the density falls most
  const double wanted = std::min({std::sqrt(0.3 * log_tolerance_ / rate), 0.25 / steepest, 0.5 * deviation});
  const LatticeGrid grid = choose_lattice_grid(direction, saddlepoint, {0, wanted, 0, true});
  Plan plan{};
  plan.interval = interval_ = grid.interval;
  const double terms = static_cast<double>(direction.size());
  const double widest = std::min(0.25 / (1 + slope_), std::sqrt(0.3 * log_tolerance_) / slope_);
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const double share = log_delta_ - std::log(saddlepoint.count(j) * terms);
    const SupportNeeds needs{0,
                             0,
                             std::max(share + std::log(share_of_top * log_tolerance_), -703.0),
                             std::max(share - 20, -703.0),
                             widest,
                             grid.offsets[j]};
    plan.supports.push_back(plan_nonuniform_grid(*direction[j].pair, saddlepoint.nodes(j), needs, plan.interval));
    plan.points += plan.supports.back().points();
  }
  if (!(plan.points <= std::min(most_points, limits.memory() / bytes_per_point))) return;
  room_ = Held(plan.points * bytes_per_point);
  split(direction, discretized(direction, plan), limits);
}

// Epsilon or delta, and how steeply the tail of one loss falls there; where the steps are split.
void SingleBigJump::forecast(const Direction& direction, const Saddlepoint& saddlepoint, bool wants_epsilon,
                             double value, double tolerance) {
  std::vector<const LossNodes*> nodes;
  std::vector<double> counts;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    nodes.push_back(&saddlepoint.nodes(j));
    counts.push_back(saddlepoint.count(j));
  }
  const auto tail = tail_of(nodes, counts);
  const double mean = saddlepoint.cumulants(0).mean;  // of the rest
  if (wants_epsilon) {
    log_delta_ = std::log(value);
    epsilon_ = loss_at(tail, log_delta_) + mean;  // a little more
  } else {
    epsilon_ = value;
    log_delta_ = -infinity;
    for (const auto& [loss, log_mass] : tail)
      if (loss > epsilon_ - mean) log_delta_ = log_mass;
  }
  if (!std::isfinite(log_delta_)) return;
  slope_ = 2 / (loss_at(tail, log_delta_) - loss_at(tail, log_delta_ + 2));
  log_tolerance_ = std::min(0.5, wants_epsilon ? slope_ * tolerance * epsilon_ : tolerance);
  const double log_large = 0.5 * (log_delta_ + std::log(2 * share_of_two * log_tolerance_)) - std::log(nodes.size());
  for (std::size_t j = 0; j < nodes.size(); ++j) {
    const auto own = tail_of(std::span(nodes).subspan(j, 1), std::span(counts).subspan(j, 1));
    splits_.push_back(own.front().log_mass < log_large ? loss_at(own, log_large) : infinity);
  }
}

void SingleBigJump::split(const Direction& direction, const DiscretizedSteps& steps, const Limits& limits) {
  double large_mass = 0, excess = 0, top = 0;
  std::vector<StepPmf> large_upper, large_lower;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const StepPmf &upper = steps.upper[j], &lower = steps.lower[j];
    const double split = splits_[j] + interval_;  // an atom there may be on the next point
    const std::size_t high = points_below(upper, split), low = points_below(lower, split);
    small_upper_.push_back(part_of(upper, 0, high));
    small_lower_.push_back(part_of(lower, 0, low));
    large_upper.push_back(part_of(upper, high, upper.index.size()));
    large_lower.push_back(part_of(lower, low, lower.index.size()));
    const auto count = static_cast<double>(direction[j].count);
    large_mass += count * mass_of(large_upper.back());
    excess += count * std::max(0.0, mass_of(upper) - 1);
    if (!large_upper.back().index.empty()) top = std::max(top, upper.loss(upper.index.size() - 1));
  }
  // Two or more, by the binomial theorem: masses of upper steps may exceed 1 a little.
  excess_factor_ = std::exp(excess) * (1 + 1e-12);
  rest_above_ = 0.5 * large_mass * large_mass;
  infinity_above_ = composed_infinity_mass(untilted(direction, steps.upper));
  infinity_below_ = composed_infinity_mass(untilted(direction, steps.lower));
  const auto sides = [&](std::size_t without) {
    std::vector<StepSides> result;
    for (std::size_t i = 0; i < direction.size(); ++i)
      if (const std::int64_t count = direction[i].count - (i == without ? 1 : 0); count > 0)
        result.push_back({&small_upper_[i], &small_lower_[i], count});
    return result;
  };
  const double steepest = 0.5 / interval_;
  const double memory = 0.5 * limits.memory() / static_cast<double>(direction.size());
  TiltedTablesNeeds alone{epsilon_, log_delta_, log_delta_, steepest, memory};
  none_.emplace(sides(direction.size()), alone);
  if (none_->log_above(epsilon_) > log_delta_ + std::log(share_of_two * log_tolerance_)) {
    alone = {0, log_delta_, log_delta_ - 1, steepest, memory};
    none_.emplace(sides(direction.size()), alone);
    if (!none_->fits()) return;
  }
  std::vector<Large> large;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    if (large_upper[j].index.empty()) continue;
    if (sides(j).empty()) return;  // a single step needs no sum
    const TiltedTablesNeeds needs{epsilon_ - top - 1 / slope_, 0, 0.5 * log_delta_, steepest, memory};
    TiltedTables others(sides(j), needs);
    if (!others.fits()) return;
    large.push_back({std::move(large_upper[j]), std::move(large_lower[j]), static_cast<double>(direction[j].count),
                     std::move(others)});
  }
  large_ = std::move(large);
}

double SingleBigJump::above(double epsilon) const {
  CompensatedSum sum;
  sum.add(none_->above(epsilon));
  sum.add(rest_above_);
  sum.add(infinity_above_);
  for (const Large& large : large_) {
    const StepPmf& step = large.upper;
    const double unseen =
        log_delta_ + std::log(share_unseen * log_tolerance_ / (large.count * static_cast<double>(step.index.size())));
    for (std::size_t k = 0; k < step.index.size(); ++k) {
      checkpoint_each<256>(k);
      const double rest = remaining(epsilon, step, k, -1), bound = large.others.log_above(rest);
      const bool small = std::log(step.mass[k]) + bound < unseen;
      const double delta = small ? std::exp(bound) * (1 + 8 * u) + 1e-307 : large.others.above(rest);
      sum.add(large.count * step.mass[k] * delta);
    }
  }
  return std::min(1.0, sum.value() * excess_factor_);  // what was held to 1 may exceed it by as much
}

double SingleBigJump::below(double epsilon) const {
  CompensatedSum sum;
  sum.add(infinity_below_);
  sum.add(none_->below(epsilon));
  for (const Large& large : large_) {
    const StepPmf& step = large.lower;
    for (std::size_t k = 0; k < step.index.size(); ++k) {
      checkpoint_each<256>(k);
      const double rest = remaining(epsilon, step, k, 1);
      if (large.others.log_above(rest) + std::log(std::max(step.mass[k], 1e-300)) < log_delta_ - 40) continue;
      sum.add(large.count * step.mass[k] * large.others.below(rest));
    }
  }
  return std::min(1.0, sum.value() * (1 - 1e-12));
}

Interval SingleBigJump::delta(double epsilon) const { return {below(epsilon), above(epsilon)}; }

Interval SingleBigJump::epsilon(double delta) const {
  const double goal = std::log(delta), step = search_step * log_tolerance_ / slope_;
  const auto root = [&](auto&& side) {
    const auto excess = [&](double at) { return std::log(std::max(side(at), 1e-320)) - goal; };
    const double start = excess(epsilon_) > 0 ? 1 : -1;
    return monotone_root_from(excess, epsilon_, start / slope_, 20, 1e-6);
  };
  constexpr int most_steps = 100;
  Interval result{0, infinity};
  double at = root([&](double x) { return above(x); });
  for (int i = 0; i < most_steps; ++i, at += step) {
    if (!(above(at) <= delta)) continue;
    result.upper = at;
    break;
  }
  at = root([&](double x) { return below(x); });
  for (int i = 0; i < most_steps && at > 0; ++i, at -= step) {
    if (!(below(at) > delta)) continue;
    result.lower = at;
    break;
  }
  return result;
}

}  // namespace hockeystick
