// SPDX-License-Identifier: Apache-2.0
// The runs of pairs above and below for questions to enclosed mechanisms.
#include <algorithm>

#include "mechanisms/known_pairs.hpp"
#include "plan/lattice_grid.hpp"
#include "run/enclosing.hpp"

namespace hockeystick {
namespace {

bool is_same(const Direction& a, const Direction& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Term& x, const Term& y) { return x.pair == y.pair && x.count == y.count; });
}

void add_distinct(std::vector<Direction>& runs, Direction run) {
  if (std::none_of(runs.begin(), runs.end(), [&](const Direction& known) { return is_same(known, run); }))
    runs.push_back(std::move(run));
}

// The accuracy with the finest lattice of losses of the terms with an exact pair.
SideAccuracy with_lattice(std::span<const DescribedTerm> terms, Comparison way, SideAccuracy accuracy) {
  for (const auto& [mechanism, count] : terms) {
    if (!is_exact(*mechanism)) continue;
    const double spacing = lattice_spacing(*known_pair(dominating_pair_name(*mechanism, way)));
    if (spacing > 0) accuracy.lattice = std::min(accuracy.lattice, spacing);
  }
  return accuracy;
}

PairName pair_above(const Described& mechanism, Comparison way, const SideAccuracy& accuracy) {
  if (is_exact(mechanism)) return dominating_pair_name(mechanism, way);
  if (const auto known = pairs_beyond_curve(mechanism, way, accuracy)) return (*known)[1];
  return mechanism.kind->enclosure->above(mechanism, way, accuracy);
}

std::vector<PairName> pairs_below(const Described& mechanism, Comparison way, const SideAccuracy& accuracy) {
  if (is_exact(mechanism)) return {dominating_pair_name(mechanism, way)};
  if (const auto known = pairs_beyond_curve(mechanism, way, accuracy)) return {(*known)[0]};
  return mechanism.kind->enclosure->below(mechanism, way, accuracy);
}

}  // namespace

std::optional<std::array<PairName, 2>> pairs_beyond_curve(const Described& mechanism, Comparison way,
                                                          const SideAccuracy& accuracy) {
  check_comparison(mechanism, way);
  const Enclosure& enclosure = *mechanism.kind->enclosure;
  if (mechanism.own != nullptr) {
    const bool is_moment = accuracy.aspect == Aspect::moments || accuracy.aspect == Aspect::far;
    if (!is_moment && accuracy.aspect != Aspect::largest) return {};
    const OwnPairs& own = *mechanism.own;
    const OwnPairs::Pairs found = is_moment ? own.moments(way, accuracy) : own.largest(way, accuracy);
    if (found.empty()) return {};
    std::array<PairName, 2> names;
    for (std::size_t side = 0; side < 2; ++side) names[side].made = found[side];
    return names;
  }
  if (accuracy.aspect == Aspect::largest && enclosure.largest != nullptr) {
    const PairName one = enclosure.largest(mechanism, way);
    return std::array{one, one};
  }
  if (accuracy.aspect != Aspect::moments && accuracy.aspect != Aspect::far) return {};
  if (enclosure.beyond_curve == nullptr) return {};
  return enclosure.beyond_curve(mechanism, way, accuracy, accuracy.aspect);
}

std::vector<DescribedTerm> dominating_run(std::span<const DescribedTerm> terms) {
  std::vector<DescribedTerm> run;
  std::vector<std::vector<DescribedTerm>> enclosed;  // the terms of each kind, in the order in which kinds come
  const auto add = [&](const DescribedTerm& term) {
    checked("count", static_cast<double>(term.count), ranges::count);
    if (is_exact(*term.mechanism)) return run.push_back(term);
    const auto same = std::find_if(enclosed.begin(), enclosed.end(), [&](const auto& several) {
      return several.front().mechanism->kind == term.mechanism->kind;
    });
    if (same == enclosed.end())
      enclosed.push_back({term});
    else
      same->push_back(term);
  };
  for (const auto& [mechanism, count] : terms) {
    if (is_exact(*mechanism) || mechanism->kind->enclosure->run_above == nullptr) {
      add({mechanism, count});
      continue;
    }
    for (const auto& [one, times] : mechanism->kind->enclosure->run_above(*mechanism)) {
      checked("count", static_cast<double>(times) * static_cast<double>(count), ranges::count);
      add({one, times * count});
    }
  }
  for (const std::vector<DescribedTerm>& several : enclosed) {
    const auto joined = several.front().mechanism->kind->enclosure->joined;
    const std::vector<DescribedTerm> fewer = joined == nullptr ? several : joined(several);
    run.insert(run.end(), fewer.begin(), fewer.end());
  }
  return run;
}

std::vector<Direction> runs_above(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const SideAccuracy& accuracy) {
  const std::vector<DescribedTerm> dominating = dominating_run(terms);
  std::vector<Direction> runs;
  for (const Comparison way : comparisons) {
    const SideAccuracy at = with_lattice(dominating, way, accuracy);
    Direction run;
    for (const auto& [mechanism, count] : dominating)
      run.push_back({known_pair(pair_above(*mechanism, way, at)), count});
    add_distinct(runs, std::move(run));
  }
  return runs;
}

std::vector<Direction> runs_below(std::span<const DescribedTerm> terms, std::span<const Comparison> comparisons,
                                  const SideAccuracy& accuracy) {
  std::vector<Direction> runs;
  for (const Comparison way : comparisons) {
    std::vector<std::vector<PairName>> choices;
    std::size_t most = 1;
    const SideAccuracy at = with_lattice(terms, way, accuracy);
    for (const auto& [mechanism, count] : terms) {
      choices.push_back(pairs_below(*mechanism, way, at));
      most = std::max(most, choices.back().size());
    }
    for (std::size_t choice = 0; choice < most; ++choice) {
      Direction run;
      for (std::size_t k = 0; k < terms.size(); ++k)
        run.push_back({known_pair(choices[k][std::min(choice, choices[k].size() - 1)]), terms[k].count});
      add_distinct(runs, std::move(run));
    }
  }
  return runs;
}

}  // namespace hockeystick
