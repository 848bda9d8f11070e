// SPDX-License-Identifier: Apache-2.0
#include "run/best_of_moments.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "run/run_moments.hpp"
#include "views/renyi.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t memory_limit = std::size_t{1} << 30;
constexpr double farthest = 9999;  // order, less 1, up to which the search goes; the order asked for may be larger

// log(e^a + b), rounded up.
double log_sum(double a, double b) {
  if (!(b > 0)) return a;
  const double log = math::log(b), most = std::max(a, log), less = std::min(a, log);
  return most + math::log1p(math::exp(less - most)) + 8 * u * (std::fabs(most) + 1);  // proof: best-of-runs
}

}  // namespace

BestOfMoments::BestOfMoments(Direction run, const NumberOfRuns& runs, const EnclosedCurve& back, bool attained)
    : run_(std::move(run)), runs_(runs), ratios_(back, runs), attained_(attained) {}

std::vector<double> BestOfMoments::log_moments(std::span<const double> orders) const {
  const std::vector<Answer> divergences = renyi_bounds_of_any_order({&run_, 1}, orders, {1e-4, memory_limit});
  std::vector<double> found;
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const double t = orders[k] - 1, of_run = up(t * divergences[k].upper);
    const double by_ranks = log_sum(up(ratios_.log_power(t) + of_run), runs_.none_above());  // proof: best-of-runs
    found.push_back(std::max(0.0, std::min(by_ranks, up(runs_.most() * of_run))));           // proof: best-of-runs
  }
  return found;
}

// The probability of an infinite loss in a run, times the mean number of runs.
Interval BestOfMoments::infinity_mass() const {
  return {0, std::min(1.0, up(infinity_masses(run_) * runs_.mean()))};  // proof: best-of-runs
}

Interval BestOfMoments::log_moment_bounds(double t) const {
  double upper = infinity;
  for (double more = t; more == t || more < farthest; more *= 2) {  // moments do not fall
    const double order = more == t ? up(1 + t) : 1 + more;
    const double bound = up(up(t / (order - 1)) * log_moments({&order, 1}).front());  // proof: best-of-runs
    upper = std::min(upper, bound);
    if (bound > 2 * upper) break;  // a guess: larger orders bound it no better
  }
  if (!attained_) return {0, upper};
  const double order = std::max(1.0, down(1 + t));
  const double of_run =
      renyi_bounds_of_any_order({&run_, 1}, {&order, 1}, {1e-4, memory_limit}).front().lower * (order - 1);
  return {std::max(0.0, down(down(of_run + math::log1p(-runs_.none_above())) - 16 * u * (of_run + 1))), upper};
}

// (a - 1) D_a of the best is at most log (D(0) + f(0)) + (a - 1) (log of the largest ratio + D_a of a run).
double BestOfMoments::renyi_slope_bound(double order) const {
  if (!(order > 1)) return infinity;
  const double of_run = slopes_beyond(run_, order).upper;
  const double often = up(math::log(runs_.mean() + runs_.none_above()) * (1 + 8 * u) + 4 * u);  // proof: best-of-runs
  const double more = up(up(often / down(order - 1)) + ratios_.largest());
  return std::min(up(of_run + up(more / order)), up(runs_.most() * of_run));  // proof: best-of-runs
}

double BestOfMoments::renyi_slope_limit() const { return attained_ ? std::max(0.0, slopes_beyond(run_, 1).lower) : 0; }

std::shared_ptr<const DominatingPair> best_of_moments(const BothWays& run, const Direction& moments,
                                                      const NumberOfRuns& runs, double cells, double tail,
                                                      bool attained) {
  const KnownWays known = known_ways(run, cells, tail);
  const EnclosedCurve back = run.back ? curve_above(known.back, known.forth) : EnclosedCurve{};
  return std::make_shared<BestOfMoments>(moments, runs, back, attained);
}

}  // namespace hockeystick
