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

constexpr double finest = 1.0 / 16;  // of logarithms
// Rare large losses of a few steps may rule the moments beyond the saddle point, so these stand for themselves.
constexpr std::ptrdiff_t alone = 32;

// Longest stretch of neighbours that one stands for, as they may differ in what bounds do not tell.
constexpr std::size_t longest = 16;

struct Place {
  double mean, variance, top;  // of the losses, as logarithms but for the top
  Term term;
};

Place place_of(const Term& term) {
  const Saddlepoint step(Direction{{term.pair, 1}});
  const Cumulants k = step.cumulants(0);
  const std::span<const double> losses = step.nodes(0).loss;
  return {math::log(std::fabs(k.mean) + 1e-300), math::log(k.variance + 1e-300), losses.empty() ? 0 : losses.back(),
          term};
}

// Whether bounds that take no time tell that two pairs are about equal.
bool is_alike(const DominatingPair& a, const DominatingPair& b) {
  const auto is_near = [](double x, double y) { return std::fabs(x - y) <= finest / 2 * x; };
  const double slope = a.renyi_slope_limit();
  return slope > 0 && is_near(slope, b.renyi_slope_limit()) &&
         is_near(a.total_variation_bound(), b.total_variation_bound());
}

// The middle one of each stretch of terms that are alike, run as often as all of it.
std::vector<Place> places_of(const Direction& direction) {
  std::vector<Place> places;
  for (std::size_t first = 0, end = 1; first < direction.size(); first = end++) {
    checkpoint_each<16>(places.size());
    std::int64_t count = direction[first].count;
    for (; end < std::min(first + longest, direction.size()); ++end) {
      if (!is_alike(*direction[first].pair, *direction[end].pair)) break;
      count += direction[end].count;
    }
    places.push_back(place_of({direction[first + (end - first) / 2].pair, count}));
  }
  return places;
}

}  // namespace

Direction thinned(const Direction& direction) {
  if (direction.size() <= most_forecast_terms) return direction;
  std::vector<Place> places = places_of(direction);
  const auto others = places.begin() + std::min(alone, std::ssize(places));
  std::nth_element(places.begin(), others, places.end(), [](const Place& a, const Place& b) { return a.top > b.top; });
  for (double step = finest;; step *= 2) {
    std::map<std::array<std::int64_t, 3>, std::vector<Place>> groups;
    for (auto place = others; place != places.end(); ++place) {
      const auto cell = [step](double x) { return std::llround(x / step); };
      groups[{cell(place->mean), cell(place->variance), cell(place->top)}].push_back(*place);
    }
    if (groups.size() > most_forecast_terms - static_cast<std::size_t>(alone)) continue;
    Direction few;
    for (auto place = places.begin(); place != others; ++place) few.push_back(place->term);
    for (auto& [key, members] : groups) {
      std::int64_t count = 0;
      for (const Place& member : members) count += member.term.count;
      const auto middle = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
      std::nth_element(members.begin(), middle, members.end(),
                       [](const Place& a, const Place& b) { return a.variance < b.variance; });
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
