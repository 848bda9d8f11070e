// SPDX-License-Identifier: Apache-2.0
#include "run/chained_curve.hpp"

#include <algorithm>
#include <cmath>

#include "mechanisms/curves/curve_law.hpp"
#include "numeric/constants.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "pld/reflect.hpp"

namespace hockeystick {
namespace {

constexpr double farthest = 600;  // nats

// Upper bounds of a curve at the losses k times the spacing, k = -n, ..., n. The spacing has few bits, so that these
// losses are exact.
struct OnGrid {
  std::vector<double> upper;
};

struct Grid {
  double spacing;
  std::ptrdiff_t ends;

  double loss(std::ptrdiff_t k) const { return spacing * static_cast<double>(k); }
};

// The spacing, which has few bits: the reach of all links over the number of cells.
Grid grid_of(const Chain& chain, double cells, double tail) {
  double reach = 0, links = 0;
  for (const auto& [run, times] : chain) {
    links += static_cast<double>(times);
    const double rare = tail / static_cast<double>(times);
    const double back = run.back ? reach_of(*run.back, rare) : 0;
    reach += static_cast<double>(times) * std::max({reach_of(run.forth, rare), back, 1e-9});
  }
  const double number = std::ceil(std::clamp(25 * cells, 300.0, 2000.0));
  const double spacing = with_bits(std::min(reach, farthest) / number, 20);
  // The reach of a link may exceed its largest loss by a cell.
  const double ends = std::min(reach / spacing + 2 * links, std::floor(farthest / spacing));
  return {spacing, static_cast<std::ptrdiff_t>(ends)};
}

// h at e^x, x < 0, is 1 - e^x (1 - h'(e^-x)), h' the curve of the reverse.
OnGrid on_grid(const BothWays& run, const Grid& grid, double tail) {
  const auto values = [&](const Direction& direction) {
    const double reach = reach_of(direction, tail);
    std::vector<double> losses{0};
    for (std::ptrdiff_t k = 1; k <= grid.ends && losses.back() < reach; ++k) losses.push_back(grid.loss(k));
    std::vector<double> upper;
    for (const Interval& delta : deltas_of(direction, losses, 1e-4, 1e-3 * tail)) upper.push_back(delta.upper);
    for (std::size_t k = 1; k < upper.size(); ++k) upper[k] = std::min(upper[k], upper[k - 1]);  // curves do not rise
    upper.resize(static_cast<std::size_t>(grid.ends) + 1, upper.back());
    return upper;
  };
  const std::vector<double> forth = values(run.forth);
  const std::vector<double> back = run.back ? values(*run.back) : std::vector<double>(forth.size(), 1.0);
  OnGrid curve;
  for (std::ptrdiff_t k = -grid.ends; k <= grid.ends; ++k) {
    const auto at = static_cast<std::size_t>(k < 0 ? -k : k);
    curve.upper.push_back(k < 0 ? by_reverse(grid.loss(k), {0, back[at]}).upper : forth[at]);
  }
  return curve;
}

OnGrid curve_of(const Chain& chain, const Grid& grid, double tail) {
  std::vector<double> powers;
  for (std::ptrdiff_t k = -grid.ends; k <= grid.ends; ++k) powers.push_back(exp_above(grid.loss(k)));
  const auto chained = [&](const OnGrid& first, const OnGrid& second) {
    return OnGrid{chained_values(first.upper, second.upper, powers)};
  };
  std::vector<OnGrid> known;
  const auto take = [&](OnGrid more) { known = {known.empty() ? std::move(more) : chained(known.front(), more)}; };
  for (const auto& [run, times] : chain) {
    OnGrid doubled = on_grid(run, grid, tail / static_cast<double>(times));
    for (std::int64_t left = times; left > 0; left /= 2) {
      if (left % 2 == 1) take(doubled);
      if (left > 1) doubled = chained(doubled, doubled);
    }
  }
  return known.front();
}

}  // namespace

std::vector<double> chained_values(std::span<const double> first, std::span<const double> second,
                                   std::span<const double> powers) {
  const std::ptrdiff_t ends = std::ssize(powers) / 2;
  std::vector<double> values;
  for (std::ptrdiff_t k = -ends; k <= ends; ++k) {
    checkpoint_each<16>(static_cast<std::size_t>(k + ends));
    double least = 1;
    for (std::ptrdiff_t i = std::max(-ends, k - ends); i <= std::min(ends, k + ends); ++i) {
      const auto one = static_cast<std::size_t>(i + ends), other = static_cast<std::size_t>(k - i + ends);
      least = std::min(least, powers[one] * second[other] + first[one]);
    }
    values.push_back(std::min(1.0, least * (1 + 4 * u) + 1e-307));  // proof: chained-curves
  }
  return values;
}

EnclosedCurve least_chained(std::span<const Chain> chains, double cells, double tail) {
  Grid grid{infinity, 0};
  for (const Chain& chain : chains) {
    const Grid of_chain = grid_of(chain, cells, tail);
    if (of_chain.spacing < grid.spacing) grid = of_chain;
  }
  std::vector<double> least(2 * static_cast<std::size_t>(grid.ends) + 1, 1.0);
  for (const Chain& chain : chains) {
    const OnGrid curve = curve_of(chain, grid, tail);
    for (std::size_t k = 0; k < least.size(); ++k) least[k] = std::min(least[k], curve.upper[k]);
  }
  EnclosedCurve curve;
  for (std::ptrdiff_t k = -grid.ends; k <= grid.ends; ++k) {
    curve.alpha.push_back(exp_above(grid.loss(k)));
    curve.upper.push_back(least[static_cast<std::size_t>(k + grid.ends)]);
  }
  return curve;
}

}  // namespace hockeystick
