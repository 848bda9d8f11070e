// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_terms.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {
namespace {

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

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

}  // namespace

SplitLaw split_lognormal(double deviation, double width, double tail) {
  const double step = power_of_two(width), reach = upper_normal_quantile(tail).upper;
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

TermLaw term_law(const SplitLaw& t, const SplitLaw& y, Way way, double alpha, double spacing, double bottom,
                 double top) {
  TermLaw law{spacing, 0, {}, 0};
  law.first = static_cast<std::int64_t>(std::floor(std::min(bottom, -spacing) / spacing));
  const double last = std::ceil(std::max(top, 2 * spacing) / spacing) - static_cast<double>(law.first);
  law.masses.assign(static_cast<std::size_t>(last) + 1, 0.0);
  const std::vector<double> by = factors(y, way, alpha);
  const double first = static_cast<double>(law.first), inverse = 1 / spacing;
  const double raise = t.off + 4 * u;  // proof: shuffled-terms
  double beyond = 0;
  for (std::size_t i = 0; i < t.values.size(); ++i) {
    for (std::size_t j = 0; j < by.size(); ++j) {
      const double product = t.values[i] * by[j], mass = t.masses[i] * y.masses[j];
      const double at = (product + raise * std::fabs(product)) * inverse, place = at - first;
      if (!(place > 0)) {
        law.masses[0] += mass;
      } else if (place >= last) {
        law.masses.back() += mass;
        beyond += mass * (place * (1 + 4 * u) - last);
      } else {
        // Rounding is monotone: k is at least the floor of what `place` rounds, and then the place itself.
        const auto k = static_cast<std::size_t>(place);
        const double share = std::max(0.0, at - (first + static_cast<double>(k)));
        law.masses[k] += mass * (1 - share);
        law.masses[k + 1] += mass * share;
      }
    }
  }
  const double terms = static_cast<double>(t.values.size() * by.size());
  while (law.masses.size() > 2 && law.masses.back() == 0) law.masses.pop_back();
  for (double& mass : law.masses) mass *= 1 + (2 * terms + 16) * u;  // proof: shuffled-terms
  // proof: shuffled-terms
  law.excess = (beyond * spacing + t.excess + (way == Way::forth ? y.excess : 0.0)) * (1 + (2 * terms + 16) * u);
  return law;
}

TermLaw stretched(const TermLaw& law, double gain, double loss, double spacing) {
  // Places: quotients by a power of two, of products that are moved up.
  const auto place = [&](std::size_t k) {
    const double x = law.at(k);
    return x * (x < 0 ? loss : gain) * (1 + (x < 0 ? -4 : 4) * u) / spacing;  // proof: shuffled-terms
  };
  TermLaw moved{spacing, static_cast<std::int64_t>(std::floor(place(0))), {}, law.excess * gain * (1 + 4 * u)};
  const double first = static_cast<double>(moved.first);
  moved.masses.assign(static_cast<std::size_t>(std::ceil(place(law.masses.size() - 1)) - first) + 2, 0.0);
  for (std::size_t k = 0; k < law.masses.size(); ++k) {
    const double at = place(k), floor = std::floor(at), share = at - floor;
    const auto to = static_cast<std::size_t>(floor - first);
    moved.masses[to] += law.masses[k] * (1 - share);
    moved.masses[to + 1] += law.masses[k] * share;
  }
  while (moved.masses.size() > 2 && moved.masses.back() == 0) moved.masses.pop_back();
  const double sums = 2 * static_cast<double>(law.masses.size()) + 4;
  for (double& mass : moved.masses) mass *= 1 + sums * u;  // proof: shuffled-terms
  return moved;
}

}  // namespace hockeystick
