// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_terms.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

// Deviations below 0 where T, or Y forth, is split in one cell, and above where Y back counts as the last value: that
// moves a part of 1e-6 of the masses.
constexpr double harmless = 5;

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

// A normal probability, and what it is off by.
struct Probability {
  double value, off;
};

// P(a < g <= b), a < b, of the tails beyond abs(a) and abs(b).
Probability between(double a, double b, double beyond_a, double beyond_b) {
  const double off = (normal_error + 4 * u) * (beyond_a + beyond_b) + 1e-298;  // proof: shuffled-terms
  if (a >= 0) return {std::max(0.0, beyond_a - beyond_b), off};
  if (b <= 0) return {std::max(0.0, beyond_b - beyond_a), off};
  return {std::max(0.0, 1 - beyond_a - beyond_b), off + 2 * u};
}

// Y, its cells split between ends at which Z = Y / alpha, or alpha Y back, is by e^(-k unit) below or above 1, or 0.
// Masses at these by decreasing k, from `nearest` on, to 0 below and further above. Ends are within `off` of their
// distance.
struct CutY {
  std::vector<double> below, above;
  double nearest, off, excess;
};

CutY cut_y(double deviation, double reach, bool forth, double alpha, double unit, double closest) {
  const double log_alpha = math::log(alpha), centre = deviation * deviation / 2 + (forth ? log_alpha : -log_alpha);
  const double least = math::exp(-deviation * (forth ? harmless : reach) - centre);
  const double most = math::exp(deviation * (deviation + (forth ? reach : harmless)) - centre);
  const auto index = [&](double distance) { return -math::log(distance) / unit; };
  const double nearest = std::max(1.0, std::ceil(index(closest)));
  // Within 16 of the nearest distance, where places are merged, cells are coarse: narrow ones lose digits.
  const auto next = [&](double k) {
    return k - (nearest - k < 2.8 / unit ? std::max(1.0, std::floor(0.5 / unit)) : 1);
  };
  // The ends' k in increasing order of Z, of which the first `below` are below 1.
  std::vector<double> ks{0};
  const double most_below = least < 1 ? std::max(1.0, std::ceil(index(1 - least))) : infinity;
  for (double k = nearest; k >= most_below; k = next(k)) ks.push_back(k);
  std::reverse(ks.begin() + 1, ks.end());
  const std::size_t below = ks.size();
  const double first = least > 1 ? std::min(nearest, std::floor(index(least - 1))) : nearest;
  const double end = most > 1 ? std::min(first, std::ceil(index(most - 1)) - 1) : first;
  for (double k = first; k >= end; k = next(k)) ks.push_back(k);
  // Z - 1, and g with Y = e^(deviation g - deviation^2 / 2).
  const std::size_t last = ks.size() - 1;
  std::vector<double> far;
  for (const double k : ks) far.push_back(-unit * k);
  exponentials(far);
  for (std::size_t i = 0; i < below; ++i) far[i] = -far[i];
  std::vector<double> at = far;
  logarithms_of_1_plus({at.data() + 1, last});
  double largest = 0;
  at[0] = -infinity;
  for (std::size_t i = 1; i <= last; ++i) {
    at[i] = std::nearbyint((at[i] + centre) / deviation * 0x1p40) * 0x1p-40;  // less the deviation it is exact
    largest = std::max(largest, std::fabs(at[i]));
  }
  CutY y{std::vector<double>(static_cast<std::size_t>(nearest) + 1),
         std::vector<double>(static_cast<std::size_t>(nearest - ks[last]) + 1), nearest, 0, 0};
  const double exponents = deviation * (largest + deviation) + 2 * std::fabs(log_alpha) + 1;
  const double of_edges = 0x1p-41 * deviation + 16 * u * exponents, of_ends = 8 + 4 * unit * (nearest - ks[last]);
  y.off = 1.01 * (1 + math::exp(unit * nearest)) * of_edges + of_ends * u;  // proof: shuffled-terms
  const auto tails_at = [&](double shift) {
    std::vector<double> tails((last + 8) / 8 * 8, 0.0);
    for (std::size_t i = 0; i <= last; ++i) tails[i] = std::min(37.0, std::fabs(at[i] - shift));
    default_fft_kernel().normal_tails(tails.data(), tails.size());
    return tails;
  };
  const std::vector<double> tails = tails_at(0), moved_tails = tails_at(deviation);
  const auto mass_at = [&](std::size_t i) -> double& {
    return (i < below ? y.below : y.above)[static_cast<std::size_t>(nearest - ks[i])];
  };
  const double scale = forth ? 1 / alpha : alpha;
  for (std::size_t i = 1; i <= last; ++i) {
    const Probability p = between(at[i - 1], at[i], tails[i - 1], tails[i]);
    const Probability q = between(at[i - 1] - deviation, at[i] - deviation, moved_tails[i - 1], moved_tails[i]);
    const double low = far[i - 1], high = far[i], size = std::max(-low, std::fabs(high));
    const double mean = scale * q.value - p.value, width = high - low;
    const double sums = 8 * u * (scale * q.value + (1 + size) * p.value);
    const double error =
        (1 + size) * p.off + scale * q.off + sums + 4 * y.off * size * p.value;  // proof: shuffled-terms
    mass_at(i - 1) += std::max(0.0, high * p.value - mean + error) / width * (1 + 8 * u);
    mass_at(i) += std::max(0.0, mean - low * p.value + error) / width * (1 + 8 * u);
  }
  const Probability beyond = between(at[last], infinity, tails[last], 0);
  mass_at(last) += beyond.value + beyond.off;
  const Probability lost = between(at[last] - deviation, infinity, moved_tails[last], 0);
  y.excess = forth ? lost.value + lost.off : 0;  // proof: shuffled-terms
  return y;
}

}  // namespace

SplitLaw split_lognormal(double deviation, double width, double tail) {
  const double step = with_bits(width, 3), reach = upper_normal_quantile(tail).upper;
  const double first = -std::ceil(std::min(reach, harmless) / step) * step;
  const auto cells = static_cast<std::size_t>(std::ceil((deviation + reach - first) / step));
  SplitLaw law{.values = {0.0}, .masses = {0.0}, .deviation = deviation, .first = first, .step = step};
  const double half_square = deviation * deviation / 2, most = deviation * (reach + deviation + step) + half_square;
  law.off = (4 + 4 * most) * u;
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

TermLaw term_law(const SplitLaw& t, double deviation, double reach, Way way, double alpha, const TermGrid& grid) {
  const bool forth = way == Way::forth;
  const double step = t.step / grid.parts, unit = t.deviation * step;  // `step` is exact
  // X = scale T (Z - 1), or T (1 - Z).
  const double scale = forth ? alpha : 1;
  const CutY y = cut_y(deviation, reach, forth, alpha, unit, grid.near / (16 * scale));
  const std::vector<double>&up = forth ? y.above : y.below, &down = forth ? y.below : y.above;
  const std::size_t parts = static_cast<std::size_t>(grid.parts), values = t.values.size() - 1;
  const std::size_t size = parts * (values - 1) + std::max(up.size(), down.size());
  std::vector<double> sizes(size), above(size), below(size);
  const double half_square = t.deviation * t.deviation / 2;
  double largest = 0;
  for (std::size_t n = 0; n < size; ++n) {
    sizes[n] = t.deviation * (t.first + step * (static_cast<double>(n) - y.nearest)) - half_square;
    largest = std::max(largest, std::fabs(sizes[n]));
  }
  exponentials(sizes);
  const double off = y.off + (24 + 4 * (largest + 2 * half_square)) * u;  // proof: shuffled-terms
  const auto add = [&](const std::vector<double>& from, double mass, double* to) {
    for (std::size_t q = 0; q < from.size(); ++q) to[q] += mass * from[q];
  };
  for (std::size_t i = 0; i < values; ++i) {
    add(up, t.masses[i + 1], &above[parts * i]);
    add(down, t.masses[i + 1], &below[parts * i]);
  }
  double zero = 0;
  for (const double mass : up) zero += t.masses[0] * mass;
  for (const double mass : down) zero += t.masses[0] * mass;
  // The first place that is not merged, and the last ones.
  const auto place = [&](double x) {
    return static_cast<std::size_t>(std::lower_bound(sizes.begin(), sizes.end() - 1, x / scale) - sizes.begin());
  };
  const std::size_t first = place(grid.near), top = std::max(first, place(grid.top)),
                    bottom = std::max(first, place(grid.bottom));
  double excess = 0;
  for (std::size_t n = 0; n < first; ++n) {
    const double share = sizes[n] / sizes[first];
    above[first] += above[n] * share, below[first] += below[n] * share;
    zero += (above[n] + below[n]) * (1 - share);
  }
  for (std::size_t n = top + 1; n < size; ++n) above[top] += above[n], excess += above[n] * (sizes[n] - sizes[top]);
  for (std::size_t n = bottom + 1; n < size; ++n) below[bottom] += below[n];
  const double sums = 1 + (2 * static_cast<double>(values + size) + 32) * u;
  TermLaw law;
  law.excess = (scale * excess * (1 + off) + t.excess + y.excess) * sums;  // proof: shuffled-terms
  const auto push = [&](double at, double mass) {
    if (mass > 0) law.places.push_back(at), law.masses.push_back(mass * sums);  // proof: shuffled-terms
  };
  for (std::size_t n = bottom + 1; n-- > first;)
    push(-scale * sizes[n] * (1 - off), below[n]);  // proof: shuffled-terms
  push(0, zero);
  for (std::size_t n = first; n <= top; ++n) push(scale * sizes[n] * (1 + off), above[n]);  // proof: shuffled-terms
  if (law.places.empty() || !(law.places.back() > 0)) push(scale * sizes[top] * (1 + off), 1e-300);
  return law;
}

}  // namespace hockeystick
