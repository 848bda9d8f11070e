// SPDX-License-Identifier: Apache-2.0
#include "plan/thinned.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "numeric/runtime/checkpoint.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {
namespace {

constexpr double apart = 1.0 / 32;  // relative difference of bounds within which neighbours are alike
// The terms of the largest losses represent themselves: their rare losses may dominate moments beyond the saddle point.
constexpr std::ptrdiff_t largest = 32;

// Most neighbours that one term represents, as bounds do not show every difference.
constexpr std::size_t longest = 16;

struct Sketch {
  double variance, top;  // variance and largest loss
  Term term;
};

Sketch sketch_of(const Term& term) {
  const Saddlepoint step(Direction{{term.pair, 1}});
  const std::span<const double> losses = step.nodes(0).loss;
  return {step.cumulants(0).variance, losses.empty() ? 0 : losses.back(), term};
}

// Whether two pairs are about equal by bounds that cost nothing.
bool is_alike(const DominatingPair& a, const DominatingPair& b) {
  const auto is_near = [](double x, double y) { return std::fabs(x - y) <= apart * x; };
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
  std::sort(others, sketches.end(), [](const Sketch& a, const Sketch& b) { return a.variance < b.variance; });
  Direction few, rest;
  for (auto sketch = sketches.begin(); sketch != sketches.end(); ++sketch)
    (sketch < others ? few : rest).push_back(sketch->term);
  const Direction groups = strided(rest, std::min(rest.size(), most_forecast_terms - few.size()));
  few.insert(few.end(), groups.begin(), groups.end());
  return few;
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
