// SPDX-License-Identifier: Apache-2.0
#include "run/run_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "numeric/elementary.hpp"
#include "numeric/outward.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "views/renyi.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t memory_limit = std::size_t{1} << 30;
constexpr double largest = 600;  // of a logarithm whose power is taken

// log(1 - q + q e^x) for x >= 0, rounded up.
double sampled(double x, double rate) {
  if (rate == 1) return x;
  const bool is_far = !(x < largest);
  // proof: run-moments
  const double grown = is_far ? outward::sum(rate, outward::exp(-x, true), true) : rate * math::expm1(x);
  const double log = is_far ? x + math::log(grown) : math::log1p(grown);
  return std::min(x, up(log + 16 * u * std::fabs(is_far ? x : log)));  // proof: run-moments
}

}  // namespace

double infinity_masses(const Direction& run) {
  double sum = 0;
  for (const Term& term : run) sum = up(sum + up(static_cast<double>(term.count) * term.pair->infinity_mass().upper));
  return sum;
}

RunMoments::RunMoments(std::vector<Direction> runs, double rate, bool attained)
    : runs_(std::move(runs)),
      rate_(checked("sampling_probability", rate, {0, 1, Range::Ends::open_below})),
      attained_(attained) {}

Interval RunMoments::infinity_mass() const {
  double most = 0;
  for (const Direction& run : runs_) most = std::max(most, infinity_masses(run));
  return {0, std::min(1.0, up(most * rate_))};  // proof: run-moments
}

Interval RunMoments::log_moment_bounds(double t) const {
  const std::array<double, 2> orders{std::max(1.0, down(1 + t)), up(1 + t)};
  Interval most{0, 0};
  for (const Direction& run : runs_) {
    const std::vector<Answer> ends = renyi_bounds_of_any_order({&run, 1}, orders, {1e-4, memory_limit});
    most = larger(most, {down((orders[0] - 1) * ends[0].lower), up((orders[1] - 1) * ends[1].upper)});
  }
  return {attained_ ? most.lower : 0, sampled(most.upper, rate_)};
}

double RunMoments::renyi_slope_bound(double order) const {
  double most = 0;
  for (const Direction& run : runs_) most = std::max(most, slopes_beyond(run, order).upper);
  return most;
}

double RunMoments::renyi_slope_limit() const {
  double most = 0;
  for (const Direction& run : runs_) most = std::max(most, slopes_beyond(run, 1).lower);
  return attained_ ? most : 0;
}

}  // namespace hockeystick
