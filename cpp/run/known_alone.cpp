// SPDX-License-Identifier: Apache-2.0
#include "run/known_alone.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mechanisms/allocation/allocation_epoch.hpp"
#include "mechanisms/allocation/visible_run.hpp"
#include "mechanisms/curves/fixed_size.hpp"
#include "mechanisms/curves/zero_concentrated.hpp"
#include "mechanisms/known_pairs.hpp"
#include "methods/questions.hpp"
#include "numeric/elementary.hpp"
#include "numeric/range.hpp"
#include "numeric/root.hpp"
#include "numeric/runtime/switches.hpp"

namespace hockeystick {
namespace {

// A rho-zCDP mechanism, and how often it runs.
struct ConcentratedRun {
  double rho;
  std::int64_t count;
};

// The zero of a rising function in (1e-13, 1e18), about.
template <class Rising>
double root_of(const Rising& rising) {
  return math::exp(halved(-30, 41, 50, 0, [&](double log) { return rising(math::exp(log)) < 0; }).upper);
}

// The order at which the bound of the question is least.
double worst_order(double rho, bool wants_epsilon, double point) {
  if (wants_epsilon) return root_of([=](double t) { return rho * t * t + math::log1p(t) + math::log(point); });
  return root_of([=](double t) { return rho * (2 * t + 1) - math::log1p(1 / t) - point; });
}

// A Gaussian with all the moments that rho allows.
std::shared_ptr<const DominatingPair> normal(double rho) {
  const double noise = (1 + 0x1p-50) / std::sqrt(2 * rho);  // proof: parameter-rounding
  return known_pair({"gaussian", {std::max(noise, 1e-3)}});
}

// Runs of mechanisms with these rhos. One run has pairs of two outcomes that are worst at an order; the other has
// Gaussians where such pairs are known at a larger order only, or not at all.
std::vector<Direction> attaining(std::span<const ConcentratedRun> runs, double order) {
  Direction two, gaussians;
  bool are_worst = true;
  for (const auto& [rho, count] : runs) {
    const double known = least_concentrated_order(rho, order);
    are_worst = are_worst && known == order;
    gaussians.push_back({normal(rho), count});
    two.push_back(std::isfinite(known)
                      ? Direction::value_type{known_pair({"zero_concentrated_below", {rho, known}}), count}
                      : gaussians.back());
  }
  if (are_worst) return {two};
  return {two, gaussians};
}

// Upper ends of shuffled epochs by the record's own steps, which pairs with few cells exceed.
std::vector<Interval> own_steps(std::span<const DescribedTerm> terms, bool wants_epsilon, Comparison way,
                                std::span<const double> points, double tolerance) {
  Direction run;
  for (const auto& [one, count] : terms)
    for (const auto& [step, times] : at_most(*one))
      run.push_back({known_pair(dominating_pair_name(*step, way)), times * count});
  const Limits limits{0.25 * tolerance, std::size_t{1} << 30};
  const auto ask = wants_epsilon ? epsilon_bounds : delta_bounds;
  std::vector<Interval> bounds;
  for (const Answer& answer : ask({&run, 1}, points, limits)) bounds.push_back({0, answer.upper});
  return bounds;
}

// Lower ends of the power of one batch of fixed size without replacement.
std::vector<Interval> power_of_batch(const Described& one, std::span<const Comparison> comparisons,
                                     std::span<const double> fprs) {
  const double batch = one.number(0), records = one.number(1), noise = one.inner->number(0);
  if (!(batch < records) || one.number(2) != 0) return {};
  std::vector<Interval> bounds(fprs.size(), {0, infinity});
  for (const Comparison way : comparisons) {
    if (way == Comparison::remove || way == Comparison::add) return {};
    const double distance = replaces(way) ? 2 : 1, least = replaces(way) ? 0 : -1;
    const FixedBatch held{distance / noise, batch / records, least, is_backward(way)};
    for (std::size_t i = 0; i < fprs.size(); ++i)
      bounds[i].lower = std::max(bounds[i].lower, power_of_same_events(held, fprs[i]));
  }
  return bounds;
}

// Ends of rho-zCDP mechanisms: above, the bound by the sum of their rho, rounded up; below, mechanisms with two
// outcomes that are chosen for the question.
std::vector<Interval> concentrated_bounds(std::span<const ConcentratedRun> runs, double total, bool wants_epsilon,
                                          std::span<const double> points, double tolerance) {
  std::vector<Interval> bounds;
  for (const double point : points) {
    const double order = worst_order(total, wants_epsilon, point);
    const auto above = wants_epsilon ? zero_concentrated_epsilon : zero_concentrated_delta;
    bounds.push_back({0, above(total, point, order)});
    if (bounds.back().upper == 0 || (!wants_epsilon && bounds.back().upper <= smallest_delta)) continue;
    // Their two atoms cost little time, and theory leaves the rest of the gap.
    const Limits limits{0.25 * tolerance, std::size_t{1} << 30};
    const auto ask = wants_epsilon ? epsilon_bounds : delta_bounds;
    const double at = wants_epsilon ? std::max(point, smallest_delta) : point;  // epsilon falls with delta
    for (const Direction& run : attaining(runs, order))
      bounds.back().lower = std::max(bounds.back().lower, ask({&run, 1}, {&at, 1}, limits).front().lower);
  }
  return bounds;
}

// Allocations of Gaussians with so little noise that it shows the record's steps, maybe beside plain Gaussians, as one
// run.
std::vector<VisibleEpochs> visible_epochs(std::span<const DescribedTerm> terms) {
  constexpr std::size_t most = 32;  // distinct ones
  std::vector<VisibleEpochs> epochs;
  bool is_sampled = false;
  for (const auto& [one, count] : terms) {
    const bool is_plain = one->kind->name == "gaussian";
    if (epochs.size() == most ||
        (!is_plain && (one->kind->name != "random_allocation" || one->inner->kind->name != "gaussian")))
      return {};
    const double noise = is_plain ? one->number(0) : one->inner->number(0) / std::sqrt(one->number(1));
    if (!is_plain && noise >= visible) return {};
    is_sampled = is_sampled || !is_plain;
    epochs.push_back({1 / noise, is_plain ? 1 : one->number(0), static_cast<double>(count)});
  }
  return is_sampled ? epochs : std::vector<VisibleEpochs>{};
}

}  // namespace

std::vector<Interval> known_alone(std::span<const DescribedTerm> terms, Wanted wanted,
                                  std::span<const Comparison> comparisons, std::span<const double> points,
                                  double tolerance) {
  const bool is_one = terms.size() == 1 && terms.front().count == 1;
  if (wanted == Wanted::power)
    return is_one && terms.front().mechanism->kind->name == "fixed_size_sampled"
               ? power_of_batch(*terms.front().mechanism, comparisons, points)
               : std::vector<Interval>{};
  if (wanted != Wanted::epsilon && wanted != Wanted::delta) return {};
  const bool wants_epsilon = wanted == Wanted::epsilon;
  // None of these bounds is of the largest loss, at delta = 0.
  if (wants_epsilon && std::find(points.begin(), points.end(), 0.0) != points.end()) return {};
  const auto asks = [&](std::string_view which) {
    return std::any_of(comparisons.begin(), comparisons.end(), [&](Comparison way) { return form(way) == which; });
  };
  if (const auto epochs = visible_epochs(terms); !epochs.empty() && asks("remove") && !replaces(comparisons.front())) {
    std::vector<Interval> bounds(points.size(), {0, infinity});
    for (const double gap : {8.0, 20.0}) {
      const VisibleRun run(epochs, gap);
      for (std::size_t i = 0; i < points.size(); ++i)
        bounds[i] =
            both(bounds[i], wants_epsilon ? run.epsilon(points[i], asks("add")) : run.delta(points[i], asks("add")));
    }
    return bounds;
  }
  const MechanismKind* kind = terms.front().mechanism->kind;
  if (is_off("epochs") && kind->name == "random_allocation") return {};
  if (std::any_of(terms.begin(), terms.end(), [=](const auto& term) { return term.mechanism->kind != kind; }))
    return {};
  if (kind->name == "zcdp") {
    std::vector<ConcentratedRun> runs;
    for (const auto& [one, count] : terms) runs.push_back({one->number(0), count});
    return concentrated_bounds(runs, kind->enclosure->joined(terms).front().mechanism->number(0), wants_epsilon, points,
                               tolerance);
  }
  if (kind->name == "shuffled" && comparisons.front() != Comparison::remove && comparisons.front() != Comparison::add)
    return own_steps(terms, wants_epsilon, comparisons.front(), points, tolerance);
  const Described& one = *terms.front().mechanism;
  if (!is_one || kind->name != "random_allocation" || one.inner->kind->name != "gaussian" ||
      replaces(comparisons.front()))
    return {};
  const double noise = one.inner->number(0), epochs = one.number(1);
  if (!Range{0.2, 1000}.holds(noise / std::sqrt(epochs))) return {};
  return allocation_bounds({noise, one.number(0), epochs, asks("remove"), asks("add"), wants_epsilon, tolerance},
                           points);
}

}  // namespace hockeystick
