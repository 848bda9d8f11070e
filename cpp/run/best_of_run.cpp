// SPDX-License-Identifier: Apache-2.0
#include "run/best_of_run.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "methods/questions.hpp"
#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "views/renyi.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t memory_limit = std::size_t{1} << 30;
constexpr double least_order = 1.1, most_order = 300;
constexpr int orders = 40;

// Of a Poisson number K of runs with D_l <= d and delta(e) <= v for e <= log(1 + 1 / (l - 1)), either way, the
// divergence of what is released if K > 0 is at most that of l with E K e^((l - 1)(d + mean v)) in place of the moment
// (Papernot & Steinke 2022, Theorem 6); that there was no run adds its probability, the same either way.
std::vector<RenyiPoint> moments_of(const std::array<Direction, 2>& ways, const NumberOfRuns& runs) {
  if (runs.kind() != NumberOfRuns::Kind::poisson) return {};
  std::vector<double> at;
  for (int k = 0; k <= orders; ++k)
    at.push_back(1 + (least_order - 1) * math::exp(math::log((most_order - 1) / (least_order - 1)) * k / orders));
  const std::vector<Answer> divergences = renyi_bounds(ways, at, {1e-4, memory_limit});
  std::vector<double> losses;
  for (std::size_t k = at.size(); k-- > 0;)
    losses.push_back(math::log1p(1 / (at[k] - 1)) * (1 - 16 * u));  // proof: best-of-runs
  const std::vector<Answer> deltas = delta_bounds(ways, losses, {1e-3, memory_limit, {}, 1e-30});
  std::vector<RenyiPoint> found;
  const double mean = runs.mean();
  for (std::size_t k = 0; k < at.size(); ++k) {
    const double t = at[k] - 1, divergence = divergences[k].upper, missed = deltas[at.size() - 1 - k].upper;
    const double grown = t * (divergence + mean * missed) + math::log(mean);
    if (!(grown < 1e6)) continue;
    const double moment =
        grown > -mean ? grown + math::log1p(math::exp(-mean - grown)) : -mean + math::log1p(math::exp(grown + mean));
    const double size = std::fabs(grown) + mean + std::fabs(math::log(mean)) + 2;
    found.push_back({at[k], std::max(0.0, moment + 32 * u * size) / t * (1 + 8 * u)});  // proof: best-of-runs
  }
  return found;
}

// What may be left out of a run, as each may be the best.
double rare(const NumberOfRuns& runs, double tail) { return std::max(1e-3 * tail / runs.mean(), 1e-290); }

double largest_of(const Direction& run) {
  const std::array none{0.0};
  return run.empty() ? 0 : epsilon_bounds({&run, 1}, none, {1e-3, memory_limit}).front().upper;
}

// As often, each term; nothing where a count is no double.
std::optional<Direction> repeated(const Direction& run, double times) {
  Direction all = run;
  for (Term& term : all) {
    if (!(static_cast<double>(term.count) * times < 0x1p53)) return {};
    term.count *= static_cast<std::int64_t>(times);
  }
  return all;
}

OtherBounds others_of(const BothWays& run, const NumberOfRuns& runs, double cells, double tail) {
  OtherBounds found;
  if (!run.back) return found;
  found.moments = moments_of({run.forth, *run.back}, runs);
  const std::optional<Direction> forth = repeated(run.forth, runs.most()), back = repeated(*run.back, runs.most());
  if (!forth || !back) return found;
  const KnownWays all = known_ways({*forth, *back}, cells, tail);
  found.forth = curve_above(all.forth, all.back), found.back = curve_above(all.back, all.forth);
  return found;
}

}  // namespace

AtomicLaw best_of_run_above(const BothWays& run, const NumberOfRuns& runs, double cells, double tail) {
  const KnownWays known = known_ways(run, cells, rare(runs, tail));
  return best_of_above(curve_above(known.forth, known.back), curve_above(known.back, known.forth), runs,
                       others_of(run, runs, cells, tail), cells, tail);
}

AtomicLaw best_of_run_below(const BothWays& run, const NumberOfRuns& runs, double cells, double tail, double goal) {
  const KnownWays known = known_ways(run, cells, rare(runs, tail));
  const AtomicLaw base = law_below(curve_between(known.forth, known.back), 1);
  return best_of_attained(base, runs, best_first_mass(base, runs, goal));
}

double best_of_largest(const BothWays& run, const NumberOfRuns& runs) {
  const std::array none{0.0};
  const double variation =
      runs.kind() == NumberOfRuns::Kind::poisson ? deltas_of(run.forth, none, 1e-3, 1e-30).front().upper : 1.0;
  return runs.largest_loss(largest_of(run.forth), run.back ? largest_of(*run.back) : infinity, variation);
}

}  // namespace hockeystick
