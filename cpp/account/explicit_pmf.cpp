// SPDX-License-Identifier: Apache-2.0
#include "account/explicit_pmf.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "account/alignment.hpp"
#include "account/budgeted.hpp"
#include "account/graded_support.hpp"
#include "account/merge.hpp"
#include "account/pilot.hpp"
#include "discretize/connect_dots_lower.hpp"
#include "discretize/connect_dots_upper.hpp"
#include "discretize/privacy_buckets.hpp"
#include "numeric/fft_cache.hpp"
#include "numeric/rounding.hpp"
#include "pld/compose.hpp"

namespace hockeystick {
namespace {

constexpr double most_intervals = 0x1p62;

StepPmf discretize(const DominatingPair& pair, Support support, const ExplicitRequest& request) {
  SupportCells halves = cut_midway(pair, std::move(support));
  if (request.estimator == Estimator::privacy_buckets)
    return request.side == Side::upper ? privacy_buckets_upper(halves) : privacy_buckets_lower(halves);
  if (request.side == Side::upper) return connect_dots_upper(halves);
  if (request.estimator == Estimator::algorithm_2) return algorithm_2(halves);
  return connect_dots_lower(cut_again(pair, halves, balanced_cuts(halves)));
}

// The composition of nothing: loss 0 for certain.
LossPmf nothing(const ExplicitRequest& request) {
  LossPmf pmf{};
  pmf.interval = request.interval;
  pmf.mass = {1.0};
  pmf.side = request.side;
  return pmf;
}

Direction terms_of(const Direction& asked, const ExplicitRequest& request) {
  return request.merged && request.support.empty() ? merge_gaussians(asked).terms : asked;
}

// The grid asked for, or one about as fine that meets the atoms of the loss where the tilted composition lies.
Alignment grid_of(const Direction& direction, const Pilot& pilot, const ExplicitRequest& request) {
  if (!request.aligned || !request.support.empty())
    return {request.interval, std::vector<double>(direction.size(), 0.0)};
  const Cumulants bulk = pilot.cumulants(request.tilt);
  const double span = std::fabs(bulk.mean) + 20 * std::sqrt(bulk.variance);
  return align(direction, pilot, {request.tilt, request.interval, span});
}

// One for each term: the one given, or what loses no more than the tail mass at either end.
std::vector<GradedSupport> supports_of(const Direction& direction, const Pilot& pilot, const Alignment& grid,
                                       const ExplicitRequest& request) {
  std::vector<GradedSupport> supports;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const double log_mass = std::log(request.tail_mass) - std::log(pilot.count(j) * static_cast<double>(pilot.terms()));
    if (request.support.empty())
      supports.emplace_back(*direction[j].pair, pilot.nodes(j),
                            SupportNeeds{0, 0, std::max(log_mass, -703.0), log_mass, grid.interval, grid.offsets[j]},
                            grid.interval);
    else
      supports.emplace_back(grid.offsets[j], grid.interval, request.support);
  }
  return supports;
}

double support_bytes(std::span<const GradedSupport> supports) {
  double bytes = 0;
  for (const GradedSupport& support : supports) bytes += support.bytes_discretized();
  return bytes;
}

// A window that loses no more than the tail mass at either end, in the measures of P, Q and the tilt.
struct Layout {
  std::vector<double> log_moments;
  double first, size;  // in intervals, from the offsets' sum
  double bytes;
  ChernoffTilts chernoff;

  Layout(const Pilot& pilot, const Alignment& grid, std::span<const GradedSupport> supports,
         const ExplicitRequest& request) {
    const double log_reciprocal = -std::log(request.tail_mass);
    const double d = grid.interval, tilt = request.tilt;
    const double limit = grid.steepest_tilt();
    const auto above = pilot.reach(0, log_reciprocal, 1, limit);
    const auto below = pilot.reach(0, log_reciprocal, -1, limit);
    const auto below_q = pilot.reach(-1, log_reciprocal, -1, limit);
    const auto tilted_above = pilot.reach(tilt, log_reciprocal, 1, limit);
    const auto tilted_below = pilot.reach(tilt, log_reciprocal, -1, limit);
    const double low = std::min({below.loss, below_q.loss, tilted_below.loss});
    const double high = std::max(above.loss, tilted_above.loss);
    double lowest = 0, highest = 0, shift = 0;
    for (std::size_t j = 0; j < supports.size(); ++j) {
      log_moments.push_back(tilt == 0 ? 0 : pilot.log_moment(j, tilt));
      shift += pilot.count(j) * grid.offsets[j];
      lowest += pilot.count(j) * supports[j].lowest();
      highest += pilot.count(j) * supports[j].highest();
    }
    // No window need be wider than what the supports add up to.
    first = std::floor((std::max(lowest, low) - shift) / d) - 2;
    size = std::ceil((std::min(highest, high) - shift) / d) + 3 - first;
    // A forecast that overflowed tells no size, and a window is placed by an int64.
    const bool places = std::fabs(first) <= most_intervals && size <= most_intervals;
    bytes = places ? size * 8 * 8 + support_bytes(supports) : std::numeric_limits<double>::infinity();
    chernoff = {above.tilt - tilt, below_q.tilt - tilt, tilted_above.tilt - tilt, tilted_below.tilt - tilt};
  }
};

}  // namespace

double explicit_pmf_bytes(const Direction& asked, const ExplicitRequest& request) {
  const Direction direction = terms_of(asked, request);
  if (direction.empty()) return 0;
  const Pilot pilot(direction);
  const Alignment grid = grid_of(direction, pilot, request);
  return Layout(pilot, grid, supports_of(direction, pilot, grid, request), request).bytes;
}

LossPmf explicit_pmf(const Direction& asked, const ExplicitRequest& request) {
  check_floating_point_environment();
  const Direction direction = terms_of(asked, request);
  if (direction.empty()) return nothing(request);
  const Pilot pairs(direction);
  const Alignment grid = grid_of(direction, pairs, request);
  const std::vector<GradedSupport> supports = supports_of(direction, pairs, grid, request);
  std::vector<StepPmf> steps;
  const auto discretize_all = [&] {
    for (std::size_t j = 0; j < direction.size(); ++j)
      steps.push_back(discretize(*direction[j].pair, supports[j].build(), request));
  };
  // Where the estimate moves the losses, the pairs do not tell where the composition lies: the steps do.
  const bool moved = !request.support.empty() || request.estimator == Estimator::privacy_buckets;
  Held room(support_bytes(supports));
  if (moved) discretize_all();
  const Layout layout(moved ? Pilot(steps, direction) : pairs, grid, supports, request);
  room = Held();
  room = Held(layout.bytes);
  if (!moved) discretize_all();
  const auto fft = shared_fft(RealFft::good_size(static_cast<std::size_t>(std::max(layout.size, 64.0))));
  std::vector<ComposedTerm> terms;
  for (std::size_t j = 0; j < direction.size(); ++j)
    terms.push_back({tilted(steps[j], request.tilt, layout.log_moments[j]), direction[j].count});
  const Window window{static_cast<std::int64_t>(layout.first), static_cast<std::size_t>(std::max(layout.size, 1.0))};
  return compose(terms, *fft, window, layout.chernoff);
}

LossPmf requested_pmf(const Direction& direction, const ExplicitRequest& request) {
  try {
    const Budget budget(static_cast<double>(request.memory_limit));
    const Held tables(table_bytes(direction));
    return explicit_pmf(direction, request);
  } catch (const OverBudget& over) {
    throw std::invalid_argument("discretization_interval must be larger, or memory_limit at least " +
                                std::to_string(static_cast<long long>(std::min(over.bytes(), 9e18))) + " bytes, got " +
                                std::to_string(request.interval) + " and " + std::to_string(request.memory_limit));
  }
}

}  // namespace hockeystick
