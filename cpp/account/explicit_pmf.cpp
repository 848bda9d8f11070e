// SPDX-License-Identifier: Apache-2.0
#include "account/explicit_pmf.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "account/graded_support.hpp"
#include "account/merge.hpp"
#include "account/pilot.hpp"
#include "discretize/connect_dots_lower.hpp"
#include "discretize/connect_dots_upper.hpp"
#include "numeric/fft_cache.hpp"
#include "numeric/rounding.hpp"
#include "pld/compose.hpp"

namespace hockeystick {
namespace {

constexpr double bytes_per_point = 240;

StepPmf discretize(const DominatingPair& pair, Support support, const ExplicitRequest& request) {
  SupportCells halves = cut_midway(pair, std::move(support));
  if (request.side == Side::upper) return connect_dots_upper(halves);
  if (request.estimator == Estimator::algorithm_2) return algorithm_2(halves);
  return connect_dots_lower(cut_again(pair, halves, balanced_cuts(halves)));
}

void check_memory(double bytes, const ExplicitRequest& request) {
  if (bytes <= static_cast<double>(request.memory_limit)) return;
  throw std::invalid_argument("discretization_interval must be larger, or memory_limit at least " +
                              std::to_string(static_cast<long long>(std::min(bytes, 9e18))) + " bytes, got " +
                              std::to_string(request.interval) + " and " + std::to_string(request.memory_limit));
}

// The composition of nothing: loss 0 for certain.
LossPmf nothing(const ExplicitRequest& request) {
  LossPmf pmf{};
  pmf.interval = request.interval;
  pmf.mass = {1.0};
  pmf.side = request.side;
  return pmf;
}

// Supports and window that lose no more than the tail mass at either end, in the measures of P, Q and the tilt.
struct Layout {
  std::vector<GradedSupport> supports;
  std::vector<double> log_moments;
  double first, size;  // in intervals
  double points = 0;
  ChernoffTilts chernoff;

  Layout(const Direction& direction, const ExplicitRequest& request) {
    const Pilot pilot(direction);
    const double log_reciprocal = -std::log(request.tail_mass);
    const double d = request.interval, tilt = request.tilt;
    const double limit = 0.5 / d;
    const auto above = pilot.reach(0, log_reciprocal, 1, limit);
    const auto below = pilot.reach(0, log_reciprocal, -1, limit);
    const auto below_q = pilot.reach(-1, log_reciprocal, -1, limit);
    const auto tilted_above = pilot.reach(tilt, log_reciprocal, 1, limit);
    const auto tilted_below = pilot.reach(tilt, log_reciprocal, -1, limit);
    double lowest = 0, highest = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      const double log_mass = -log_reciprocal - std::log(pilot.count(j) * static_cast<double>(pilot.terms()));
      supports.emplace_back(*direction[j].pair, pilot.nodes(j),
                            SupportNeeds{0, 0, std::max(log_mass, -703.0), log_mass, d, 0}, d);
      log_moments.push_back(tilt == 0 ? 0 : pilot.log_moment(j, tilt));
      points += supports.back().points();
      lowest += pilot.count(j) * supports.back().lowest();
      highest += pilot.count(j) * supports.back().highest();
    }
    // No window need be wider than what the supports add up to.
    first = std::floor(std::max(lowest, std::min({below.loss, below_q.loss, tilted_below.loss})) / d) - 2;
    size = std::ceil(std::min(highest, std::max(above.loss, tilted_above.loss)) / d) + 3 - first;
    chernoff = {above.tilt - tilt, below_q.tilt - tilt, tilted_above.tilt - tilt, tilted_below.tilt - tilt};
  }

  double bytes() const { return size * 8 * 8 + points * bytes_per_point; }
};

}  // namespace

double explicit_pmf_bytes(const Direction& asked, const ExplicitRequest& request) {
  const Direction direction = merge_gaussians(asked).terms;
  return direction.empty() ? 0 : Layout(direction, request).bytes();
}

LossPmf explicit_pmf(const Direction& asked, const ExplicitRequest& request) {
  check_floating_point_environment();
  const Direction direction = merge_gaussians(asked).terms;
  if (direction.empty()) return nothing(request);
  const Layout layout(direction, request);
  check_memory(layout.bytes(), request);
  const auto fft = shared_fft(RealFft::good_size(static_cast<std::size_t>(std::max(layout.size, 64.0))));
  std::vector<StepPmf> steps;
  for (std::size_t j = 0; j < direction.size(); ++j)
    steps.push_back(discretize(*direction[j].pair, layout.supports[j].build(), request));
  std::vector<ComposedTerm> terms;
  for (std::size_t j = 0; j < direction.size(); ++j)
    terms.push_back({tilted(steps[j], request.tilt, layout.log_moments[j]), direction[j].count});
  const Window window{static_cast<std::int64_t>(layout.first), static_cast<std::size_t>(layout.size)};
  return compose(terms, *fft, window, layout.chernoff);
}

}  // namespace hockeystick
