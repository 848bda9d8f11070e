// SPDX-License-Identifier: Apache-2.0
#include "plan/thinned.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {
namespace {

constexpr double finest = 1.0 / 16;  // cell of logarithms in which terms are alike
// The terms of the largest losses represent themselves: their rare losses may dominate moments beyond the saddle point.
constexpr std::ptrdiff_t largest = 32;

// Most neighbours that one term represents, as bounds do not show every difference.
constexpr std::size_t longest = 16;

struct Sketch {
  double mean, variance, top;  // log mean, log variance and largest loss
  Term term;
};

Sketch sketch_of(const Term& term) {
  const Saddlepoint step(Direction{{term.pair, 1}});
  const Cumulants k = step.cumulants(0);
  const std::span<const double> losses = step.nodes(0).loss;
  return {math::log(std::fabs(k.mean) + 1e-300), math::log(k.variance + 1e-300), losses.empty() ? 0 : losses.back(),
          term};
}

// Whether two pairs are about equal by bounds that cost nothing.
bool is_alike(const DominatingPair& a, const DominatingPair& b) {
  const auto is_near = [](double x, double y) { return std::fabs(x - y) <= finest / 2 * x; };
  const double slope = a.renyi_slope_limit();
  return slope > 0 && is_near(slope, b.renyi_slope_limit()) &&
         is_near(a.total_variation_bound(), b.total_variation_bound());
}

// The middle term of each stretch of terms that are alike, with the count of all of them.
std::vector<Sketch> sketches_of(const Direction& direction) {
  std::vector<Sketch> sketches;
  for (std::size_t first = 0, end = 1; first < direction.size(); first = end++) {
    checkpoint_each<16>(sketches.size());
    std::int64_t count = direction[first].count;
    for (; end < std::min(first + longest, direction.size()); ++end) {
      if (!is_alike(*direction[first].pair, *direction[end].pair)) break;
      count += direction[end].count;
    }
    sketches.push_back(sketch_of({direction[first + (end - first) / 2].pair, count}));
  }
  return sketches;
}

}  // namespace

Direction thinned(const Direction& direction) {
  if (direction.size() <= most_forecast_terms) return direction;
  std::vector<Sketch> sketches = sketches_of(direction);
  const auto others = sketches.begin() + std::min(largest, std::ssize(sketches));
  std::nth_element(sketches.begin(), others, sketches.end(),
                   [](const Sketch& a, const Sketch& b) { return a.top > b.top; });
  for (double step = finest;; step *= 2) {
    std::map<std::array<std::int64_t, 3>, std::vector<Sketch>> groups;
    for (auto sketch = others; sketch != sketches.end(); ++sketch) {
      const auto cell = [step](double x) { return std::llround(x / step); };
      groups[{cell(sketch->mean), cell(sketch->variance), cell(sketch->top)}].push_back(*sketch);
    }
    if (groups.size() > most_forecast_terms - static_cast<std::size_t>(largest)) continue;
    Direction few;
    for (auto sketch = sketches.begin(); sketch != others; ++sketch) few.push_back(sketch->term);
    for (auto& [key, members] : groups) {
      std::int64_t count = 0;
      for (const Sketch& member : members) count += member.term.count;
      const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
      std::nth_element(members.begin(), middle, members.end(),
                       [](const Sketch& a, const Sketch& b) { return a.variance < b.variance; });
      few.push_back({middle->term.pair, count});
    }
    return few;
  }
}

Direction strided(const Direction& direction, std::size_t few) {
  Direction some;
  for (std::size_t i = 0; i < few; ++i) {
    const std::size_t first = i * direction.size() / few, end = (i + 1) * direction.size() / few;
    some.push_back({direction[first + (end - first) / 2].pair, 0});
    for (std::size_t j = first; j < end; ++j) some.back().count += direction[j].count;
  }
  return some;
}

}  // namespace hockeystick
