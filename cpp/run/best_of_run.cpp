// SPDX-License-Identifier: Apache-2.0
#include "run/best_of_run.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "methods/questions.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "run/best_of_moments.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t memory_limit = std::size_t{1} << 30;

// Curves above those of a run and its reverse.
struct Curves {
  EnclosedCurve forth, back;
};
Curves curves_of(const BothWays& run, double cells, double tail) {
  const KnownWays known = known_ways(run, cells, tail);
  return {curve_above(known.forth, known.back), curve_above(known.back, known.forth)};
}

// The mass that may be left out of a run, as each run may be the best.
double rare(const NumberOfRuns& runs, double tail) { return std::max(1e-3 * tail / runs.mean(), 1e-290); }

double largest_of(const Direction& run) {
  const std::array none{0.0};
  return run.empty() ? 0 : epsilon_bounds({&run, 1}, none, {1e-3, memory_limit}).front().upper;
}

// Each term, the given number of times; none where a count is no double.
std::optional<Direction> repeated(const Direction& run, double times) {
  Direction all = run;
  for (Term& term : all) {
    if (!(static_cast<double>(term.count) * times < 0x1p53)) return {};
    term.count *= static_cast<std::int64_t>(times);
  }
  return all;
}

// For a Poisson number, for which the bound by ranks is the least close.
std::vector<RenyiPoint> points_of(const BestOfMoments& forth, const BestOfMoments& back, const NumberOfRuns& runs) {
  if (runs.kind() != NumberOfRuns::Kind::poisson) return {};
  std::vector<double> at;
  for (double more = 0.125; more < 512; more *= 1.25) at.push_back(1 + more);
  const std::vector<double> there = forth.log_moments(at), reverse = back.log_moments(at);
  std::vector<RenyiPoint> found;
  for (std::size_t k = 0; k < at.size(); ++k)
    if (const double most = std::max(there[k], reverse[k]); most < 1e6)
      found.push_back({at[k], most / (at[k] - 1) * (1 + 4 * u)});  // proof: best-of-runs
  return found;
}

OtherBounds others_of(const BothWays& run, const NumberOfRuns& runs, const Curves& one, double cells, double tail) {
  OtherBounds found;
  if (!run.back) return found;
  found.moments = points_of({run.forth, runs, one.back, false}, {*run.back, runs, one.forth, false}, runs);
  const std::optional<Direction> forth = repeated(run.forth, runs.most()), back = repeated(*run.back, runs.most());
  if (!forth || !back) return found;
  Curves all = curves_of({*forth, *back}, cells, tail);
  found.forth = std::move(all.forth), found.back = std::move(all.back);
  return found;
}

}  // namespace

AtomicLaw best_of_run_above(const BothWays& run, const NumberOfRuns& runs, double cells, double tail) {
  const Curves one = curves_of(run, cells, rare(runs, tail));
  return best_of_above(one.forth, one.back, runs, others_of(run, runs, one, cells, tail), cells, tail);
}

AtomicLaw best_of_run_below(const BothWays& run, const NumberOfRuns& runs, double cells, double tail, double goal) {
  const KnownWays known = known_ways(run, cells, rare(runs, tail));
  const AtomicLaw base = law_below(curve_between(known.forth, known.back));
  return best_of_attained(base, runs, best_first_mass(base, runs, goal));
}

double best_of_largest(const BothWays& run, const NumberOfRuns& runs) {
  const std::array none{0.0};
  const double variation =
      runs.kind() == NumberOfRuns::Kind::poisson ? deltas_of(run.forth, none, 1e-3, 1e-30).front().upper : 1.0;
  return runs.largest_loss(largest_of(run.forth), run.back ? largest_of(*run.back) : infinity, variation);
}

}  // namespace hockeystick
