// SPDX-License-Identifier: Apache-2.0
#include "run/sampled_group.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "numeric/constants.hpp"
#include "numeric/poisson_binomial.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

// The lower hull of the points of a curve without bends that are hardly more than rounding, and the Q-mass x of the
// test of each segment, which falls. The bounds start from this guess.
struct Tests {
  std::vector<double> alpha, value, shares;
};

Tests tests_of(const ChordPoints& points, bool removed) {
  Tests tests;
  for (std::size_t k = 0; k < points.alpha.size(); ++k) {
    const double alpha = points.alpha[k], value = points.value[k];
    if (!tests.alpha.empty() && !(alpha > tests.alpha.back())) continue;
    const auto share = [&] {
      const double steep = (tests.value.back() - value) / (alpha - tests.alpha.back());
      return removed ? steep : value + steep * alpha;
    };
    while (!tests.shares.empty() && !(share() < tests.shares.back() * (1 - 1e-10)))
      tests.alpha.pop_back(), tests.value.pop_back(), tests.shares.pop_back();
    if (!tests.alpha.empty()) tests.shares.push_back(share());
    tests.alpha.push_back(alpha), tests.value.push_back(value);
  }
  return tests;
}

// Q-masses of the tests of all groups, from the largest on: about as many as wanted.
std::vector<double> shares_of(std::span<const DrawnGroup> groups, bool removed, std::size_t most) {
  std::vector<double> all;
  for (const DrawnGroup& group : groups) {
    const std::vector<double> some = tests_of(group.points, removed).shares;
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  const std::size_t stride = 1 + all.size() / most;
  std::vector<double> shares;
  for (std::size_t k = 0; k < all.size(); k += stride) shares.push_back(all[k]);
  return shares;
}

// Rounding of sums over the groups, products and quotients.
double error_of(std::span<const DrawnGroup> groups) { return (static_cast<double>(groups.size()) + 8) * u; }

// P(T), from below if removed and from above if added, of a group's best test T with Q(T) = x. The extremes over the
// curve lie where its chords meet, or at the ends, where h >= 1 - alpha and h >= 0.
double power_of(const ChordPoints& points, double x, bool removed) {
  const double first = points.alpha.front(), last = points.alpha.back();
  if (removed) {
    double least = std::min(last * x * (1 - 4 * u), 1 - first * (1 - x) - 4 * u);  // proof: sampled-groups
    for (std::size_t k = 0; k < points.alpha.size(); ++k) {
      const double more = points.alpha[k] * x;
      least = std::min(least,
                       points.value[k] + more - 4 * u * (std::fabs(points.value[k]) + more));  // proof: sampled-groups
    }
    return std::max(0.0, least);
  }
  double most = std::max(x / last, ((x - 1) + first) / first + 4 * u);
  for (std::size_t k = 0; k < points.alpha.size(); ++k) most = std::max(most, (x - points.value[k]) / points.alpha[k]);
  return std::clamp(most * (1 + 4 * u), 0.0, x);  // proof: sampled-groups
}

// A test of P against Q, by its masses under each: h(alpha) >= first - alpha second.
struct Line {
  double first, second;
};
double meets(const Line& a, const Line& b) { return (a.first - b.first) / (a.second - b.second); }
double below(const Line& line, double alpha) {
  const double less = alpha * line.second;
  return line.first - less - 4 * u * (line.first + less);  // proof: sampled-groups
}

}  // namespace

EnclosedCurve sampled_above(std::span<const DrawnGroup> groups, double none, double rest, bool removed,
                            std::size_t most) {
  std::vector<double> shares = shares_of(groups, removed, most);
  shares.insert(shares.begin(), 2), shares.push_back(-1);  // the ends of all curves
  std::vector<Tests> tests;
  for (const DrawnGroup& group : groups) tests.push_back(tests_of(group.points, removed));
  const double off = error_of(groups);
  EnclosedCurve curve;
  for (const double share : shares) {
    checkpoint_each<64>(curve.alpha.size());
    double sum = none, value = removed ? rest : 0;
    for (std::size_t j = 0; j < groups.size(); ++j) {
      const std::vector<double>& all = tests[j].shares;
      const auto k = static_cast<std::size_t>(
          std::partition_point(all.begin(), all.end(), [&](double x) { return x > share; }) - all.begin());
      const double weight = removed ? groups[j].weight : groups[j].weight / tests[j].alpha[k];
      sum += removed ? weight * tests[j].alpha[k] : weight;
      value += weight * tests[j].value[k];
    }
    const double alpha = removed ? sum * (1 + off) : (1 + off) / sum;  // proof: sampled-groups
    if (!(alpha > 1e-280 && alpha < 1e280) || (!curve.alpha.empty() && !(alpha > curve.alpha.back()))) continue;
    curve.alpha.push_back(alpha);
    // proof: sampled-groups
    curve.upper.push_back(std::min(1.0, (value + 1e-306) * (removed ? 1 : alpha) * (1 + off)));
  }
  return curve;
}

ChordPoints sampled_below(std::span<const DrawnGroup> groups, double none, double rest, bool removed,
                          std::size_t most) {
  const double off = error_of(groups);
  std::vector<Line> lines{{1, 1}};
  std::vector<double> at;  // where each line meets the next one
  const auto add = [&](const Line& next) {
    while (!at.empty() && !(next.second < lines.back().second && meets(lines.back(), next) > at.back()))
      lines.pop_back(), at.pop_back();
    const double place = meets(lines.back(), next);
    if (!(next.second < lines.back().second && place > 0)) return;
    at.push_back(place);
    lines.push_back(next);
  };
  for (const double x : shares_of(groups, removed, most)) {
    if (!(x > 0 && x < 1)) continue;
    checkpoint_each<64>(lines.size());
    double sum = (removed ? none : none + rest) * x;
    for (const DrawnGroup& group : groups) sum += group.weight * power_of(group.points, x, removed);
    // proof: sampled-groups
    add(removed ? Line{sum * (1 - off), x} : Line{x, sum * (1 + off) + 1e-306});
  }
  add({0, 0});
  ChordPoints points;
  for (std::size_t k = 0; k < at.size(); ++k) {
    points.alpha.push_back(at[k]);
    points.value.push_back(std::min(below(lines[k], at[k]), below(lines[k + 1], at[k])));
  }
  return points;
}

AtomicLaw sampled_group_law(std::span<const BothWays> groups, std::span<const double> rates, bool removed, double cells,
                            double tail, bool above, const EnclosedCurve& others) {
  const HeadsLaw heads = heads_law(rates);
  std::vector<DrawnGroup> drawn;
  for (std::size_t j = 0; j < groups.size(); ++j) {
    const auto [forth, back] = known_ways(groups[j], cells, tail);
    if (above) {
      EnclosedCurve curve = curve_above(forth, back);
      drawn.push_back({{std::move(curve.alpha), std::move(curve.upper)}, heads.masses.at(j + 1)});
    } else {
      drawn.push_back({chords_below(curve_between(forth, back)), heads.masses.at(j + 1)});
    }
  }
  double rest = heads.cut;
  for (std::size_t j = groups.size() + 1; j < heads.masses.size(); ++j) rest += heads.masses[j];
  rest *= 1 + static_cast<double>(heads.masses.size() + 2) * u;  // proof: sampled-groups
  const auto most = static_cast<std::size_t>(50 * cells);
  if (above) return law_above(least_of(sampled_above(drawn, heads.masses.front(), rest, removed, most), others));
  const ChordPoints chords = sampled_below(drawn, heads.masses.front(), rest, removed, most);
  return law_below_chords(chords.alpha, chords.value, 0);
}

}  // namespace hockeystick
