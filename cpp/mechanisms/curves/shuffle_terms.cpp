// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "numeric/double_bits.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

// Of a cell between the values `low` and `high`, P(cell) and E of the value over it: masses at both ends, rounded up.
struct Ends {
  double low, high;
};

Ends split_cell(double mass, double mean, double low, double high, double off) {
  // proof: shuffled-terms
  const double error = (normal_error + 3 * off + 8 * u) * (mean + high * mass);
  return {std::max(0.0, high * mass - mean + error) / (high - low),
          std::max(0.0, mean - low * mass + error) / (high - low)};
}

// What T is multiplied by, for each value of Y, rounded up.
std::vector<double> factors(const SplitLaw& y, Way way, double alpha) {
  const double up = way == Way::forth ? 1 : -1;
  std::vector<double> all;
  for (const double value : y.values) {
    const double moved = value * (1 + up * (y.off + 8 * u));  // proof: shuffled-terms
    all.push_back(way == Way::forth ? moved - alpha : 1 - alpha * moved);
  }
  return all;
}

// The places of a grid, and in which gap a number is. Those above 0 are, less the scale, doubles with few bits, which
// are exact; those below are their negatives.
struct Places {
  explicit Places(const TermGrid& grid)
      : shift(52 - grid.bits), first(bits_of(grid.scale) >> shift), scale(grid.scale), below(index(grid.bottom) + 1) {
    const std::size_t above = index(grid.top) + 1;
    for (std::size_t k = below; k > 0; --k) at.push_back(-size(k));
    for (std::size_t k = 0; k <= above; ++k) at.push_back(size(k));
  }

  double size(std::size_t k) const { return double_of((first + k) << shift) - scale; }
  std::size_t index(double x) const { return static_cast<std::size_t>((bits_of(x + scale) >> shift) - first); }

  struct Gap {
    std::size_t near, far;  // of which `near` is closer to 0
    double share;           // of the way to `far`
  };
  // Rounding is monotone: the sum's gap is that of abs(x) or the next one.
  Gap around(double x) const {
    const double far = std::fabs(x);
    std::size_t k = index(far);
    if (far < size(k)) --k;  // proof: shuffled-terms
    const double share = (far - size(k)) / (size(k + 1) - size(k));
    return x < 0 ? Gap{below - k, below - k - 1, share} : Gap{below + k, below + k + 1, share};
  }

  int shift;
  std::uint64_t first;
  double scale;
  std::size_t below;
  std::vector<double> at;
};

}  // namespace

SplitLaw split_lognormal(double deviation, double width, double tail) {
  const double step = with_bits(width, 3), reach = upper_normal_quantile(tail).upper;
  const double first = -std::ceil(reach / step) * step;
  const auto cells = static_cast<std::size_t>(std::ceil((deviation + 2 * reach) / step));
  SplitLaw law{{0.0}, {0.0}};
  const double half_square = deviation * deviation / 2, most = deviation * (reach + deviation + 1) + half_square;
  law.off = (4 + 4 * most) * u, law.step = step;
  // Edges, and edges less the deviation, are exact.
  const auto edge = [&](std::size_t k) { return first + step * static_cast<double>(k); };
  for (std::size_t k = 0; k <= cells; ++k) law.values.push_back(math::exp(deviation * edge(k) - half_square));
  law.masses.resize(law.values.size(), 0.0);
  for (std::size_t k = 0; k <= cells; ++k) {
    const double a = k == 0 ? -infinity : edge(k - 1), b = edge(k);
    const Ends ends = split_cell(normal_interval(a, b), normal_interval(a - deviation, b - deviation), law.values[k],
                                 law.values[k + 1], law.off);
    law.masses[k] += ends.low;
    law.masses[k + 1] += ends.high;
  }
  const double last = edge(cells), raised = 1 + normal_error + 4 * u;
  law.masses.back() += normal_tail(last) * raised;
  for (double& mass : law.masses) mass = mass * (1 + 8 * u) + 1e-300;  // proof: shuffled-terms
  law.excess = normal_tail(last - deviation) * raised + 1e-300;        // proof: shuffled-terms
  return law;
}

TermLaw term_law(const SplitLaw& t, const SplitLaw& y, Way way, double alpha, const TermGrid& grid) {
  const Places places(grid);
  const std::vector<double> by = factors(y, way, alpha);
  const double raise = t.off + 4 * u;  // proof: shuffled-terms
  std::vector<double> masses(places.at.size(), 0.0);
  double beyond = 0;
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    for (std::size_t j = 0; j < by.size(); ++j) {
      const double product = t.values[i] * by[j], mass = t.masses[i] * y.masses[j];
      const double x = product + raise * std::fabs(product);
      if (x >= places.at.back()) {
        masses.back() += mass;
        beyond += mass * (x - places.at.back());
      } else if (!(x > places.at.front())) {
        masses.front() += mass;
      } else {
        const auto [near, far, share] = places.around(x);
        masses[near] += mass * (1 - share);
        masses[far] += mass * share;
      }
    }
  }
  const double terms = static_cast<double>(t.values.size() * by.size()), sums = 1 + (2 * terms + 16) * u;
  TermLaw law;
  law.excess = (beyond + t.excess + (way == Way::forth ? y.excess : 0.0)) * sums;  // proof: shuffled-terms
  for (std::size_t k = 0; k < masses.size(); ++k) {
    if (!(masses[k] > 0)) continue;
    law.places.push_back(places.at[k]);
    law.masses.push_back(masses[k] * sums);  // proof: shuffled-terms
  }
  if (law.places.empty() || !(law.places.back() > 0)) {
    law.places.push_back(places.at.back());
    law.masses.push_back(1e-300);
  }
  return law;
}

}  // namespace hockeystick
