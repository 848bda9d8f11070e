// SPDX-License-Identifier: Apache-2.0
#include "forecast/thinned.hpp"

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "forecast/saddlepoint.hpp"
#include "numeric/elementary.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double finest = 1.0 / 16;  // of logarithms
using Place = std::array<double, 3>;

Place place_of(const Term& term) {
  const Saddlepoint step(Direction{{term.pair, 1}});
  const Cumulants k = step.cumulants(0);
  const std::vector<double>& losses = step.nodes(0).loss;
  return {math::log(std::fabs(k.mean) + 1e-300), math::log(k.variance + 1e-300), losses.empty() ? 0 : losses.back()};
}

}  // namespace

Direction thinned(const Direction& direction) {
  if (direction.size() <= most_forecast_terms) return direction;
  std::vector<Place> places;
  for (const Term& term : direction) {
    checkpoint_each<16>(places.size());
    places.push_back(place_of(term));
  }
  for (double step = finest;; step *= 2) {
    std::map<std::array<std::int64_t, 3>, std::vector<std::size_t>> groups;
    for (std::size_t j = 0; j < places.size(); ++j) {
      std::array<std::int64_t, 3> key;
      for (std::size_t i = 0; i < key.size(); ++i) key[i] = std::llround(places[j][i] / step);
      groups[key].push_back(j);
    }
    if (groups.size() > most_forecast_terms) continue;
    Direction few;
    for (const auto& [key, members] : groups) {
      std::int64_t count = 0;
      for (const std::size_t j : members) count += direction[j].count;
      few.push_back({direction[members[members.size() / 2]].pair, count});
    }
    return few;
  }
}

}  // namespace hockeystick
