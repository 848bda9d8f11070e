// SPDX-License-Identifier: Apache-2.0
#include "views/composed_pld.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "discretize/connect_dots.hpp"
#include "discretize/privacy_buckets.hpp"
#include "discretize/tangent_hull.hpp"
#include "methods/budgeted.hpp"
#include "methods/gaussian_merge.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/work.hpp"
#include "plan/cost.hpp"
#include "plan/nonuniform_grid.hpp"
#include "plan/saddlepoint.hpp"
#include "plan/window.hpp"

namespace hockeystick {
namespace {

StepPmf discretize(const DominatingPair& pair, Support support, const ExplicitRequest& request) {
  const SupportCells halves = cut_midway(pair, std::move(support));
  if (request.estimator == Estimator::privacy_buckets)
    return request.side == Side::upper ? privacy_buckets_upper(halves) : privacy_buckets_lower(halves);
  if (request.side == Side::upper) return connect_dots(halves);
  if (request.estimator == Estimator::algorithm_2) return algorithm_2(halves);
  return tangent_hull(halves);
}

// The composition of no mechanisms: loss 0 with probability 1.
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

// One support for each term: the given one, or one that loses at most the tail mass at either end.
std::vector<NonuniformGrid> supports_of(const Direction& direction, const Saddlepoint& saddlepoint,
                                        const ExplicitRequest& request) {
  std::vector<NonuniformGrid> supports;
  for (std::size_t j = 0; j < direction.size(); ++j) {
    const double log_mass =
        math::log(request.tail_mass) - math::log(saddlepoint.count(j) * static_cast<double>(saddlepoint.terms()));
    if (request.support.empty())
      supports.emplace_back(*direction[j].pair, saddlepoint, j,
                            SupportNeeds{0, 0, std::max(log_mass, -703.0), log_mass, request.interval, 0},
                            request.interval);
    else
      supports.emplace_back(*direction[j].pair, 0, request.interval, request.support);
  }
  return supports;
}

double support_bytes(std::span<const NonuniformGrid> supports) {
  double bytes = 0;
  for (const NonuniformGrid& support : supports) bytes += support.bytes_discretized();
  return bytes;
}

// A window that loses at most the tail mass at either end; it need not be wider than the sum of the supports.
WindowForecast window_of(const Saddlepoint& saddlepoint, std::span<const NonuniformGrid> supports,
                         const ExplicitRequest& request) {
  double lowest = 0, highest = 0;
  for (std::size_t j = 0; j < supports.size(); ++j) {
    lowest += saddlepoint.count(j) * supports[j].lowest();
    highest += saddlepoint.count(j) * supports[j].highest();
  }
  const double d = request.interval;
  WindowForecast window =
      whole_window(saddlepoint, {d, 0, 0.5 / d}, request.tail_mass);  // tilts that the grid resolves
  window.clip(std::floor(lowest / d) - 2, std::ceil(highest / d) + 2);
  return window;
}

}  // namespace

LossPmf explicit_pmf(const Direction& asked, const ExplicitRequest& request) {
  check_floating_point_environment();
  const Direction direction = terms_of(asked, request);
  if (direction.empty()) return nothing(request);
  const Saddlepoint pairs(direction);
  const std::vector<NonuniformGrid> supports = supports_of(direction, pairs, request);
  std::vector<StepPmf> steps;
  const auto discretize_all = [&] {
    for (std::size_t j = 0; j < direction.size(); ++j)
      steps.push_back(discretize(*direction[j].pair, supports[j].build(), request));
  };
  // If the estimate moves the losses, the steps tell where the composition lies, and the pairs do not.
  const bool moved = !request.support.empty() || request.estimator == Estimator::privacy_buckets;
  Held room(support_bytes(supports));
  if (moved) discretize_all();
  const Saddlepoint saddlepoint = moved ? Saddlepoint(steps, direction) : pairs;
  const WindowForecast window = window_of(saddlepoint, supports, request);
  room = Held();
  room = Held(window.bytes(2) + support_bytes(supports));
  WorkLimit::spend(cost::transform(static_cast<double>(direction.size()), window.size, window.length()));
  if (!moved) discretize_all();
  const auto fft = shared_fft(window.fft_size());
  std::vector<ComposedTerm> terms;
  for (std::size_t j = 0; j < direction.size(); ++j) terms.push_back({tilted(steps[j], 0, 0), direction[j].count});
  return compose(terms, *fft, window.window(), window.chernoff);
}

LossPmf requested_pmf(const Direction& direction, const ExplicitRequest& request) {
  check_terms(direction);
  checked("discretization_interval", request.interval, ranges::interval);
  checked("tail_mass", request.tail_mass, ranges::inner_probability);
  try {
    const Budget budget(static_cast<double>(request.memory_limit));
    const Held tables(table_bytes({&direction, 1}));
    return explicit_pmf(direction, request);
  } catch (const OverBudget& over) {
    throw std::invalid_argument("discretization_interval must be larger, or memory_limit at least " +
                                std::to_string(static_cast<long long>(std::min(over.bytes(), 9e18))) + " bytes, got " +
                                written(request.interval) + " and " + std::to_string(request.memory_limit));
  }
}

}  // namespace hockeystick
