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

// Deviations below 0 where a log-normal law is split in one cell: that moves a part of 1e-6 of the masses.
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

// Z = square kappa y^2 + line y + constant, which grows with g where it is above 0.
struct Side {
  double mu, kappa, square, line, constant;

  double value(double y) const { return y * (square * kappa * y + line) + constant; }
  // About the g at which Z = x, in multiples of 2^-40, so that less mu it is exact.
  double at(double x) const {
    const double y = square == 0 ? (x - constant) / line
                                 : (std::sqrt(line * line + 4 * square * kappa * x) - line) / (2 * square * kappa);
    return std::nearbyint((math::log(y) / mu + mu / 2) * 0x1p40) * 0x1p-40;
  }
};

Side side_of(double mu, bool replaces, Way way, double alpha, bool above) {
  const bool forth = way == Way::forth;
  const double kappa = math::exp(-mu * mu);
  if (above) return forth && !replaces ? Side{mu, kappa, 1, -alpha, 0} : Side{mu, kappa, 0, 1, -alpha};
  return forth || replaces ? Side{mu, kappa, 0, alpha, -1} : Side{mu, kappa, alpha, -1, 0};
}

// The part of Z above 0, its cells split between places.
struct Half {
  std::vector<double> places, offs, masses;  // what the places are off by
  double begins;                             // the g at which Z is about 0
  double zero;                               // the mass that cells leave at 0
  double excess;                             // E (Z - last place)_+
};

Half half_of(const Side& side, double near, double ratio, double end) {
  std::vector<double> at{side.at(0)};
  for (double x = near; at.size() == 1 || x < end * ratio; x = ratio * x + near / 4) at.push_back(side.at(x));
  const std::size_t last = at.size() - 1;
  Half half{
      std::vector<double>(at.size()), std::vector<double>(at.size()), std::vector<double>(at.size()), at[0], 0, 0};
  std::vector<double> ys;
  for (const double g : at) ys.push_back(side.mu * g - side.mu * side.mu / 2);
  const double exponents = side.mu * std::max(std::fabs(at[0]), std::fabs(at[last])) + side.mu * side.mu;
  exponentials(ys);
  for (std::size_t k = 0; k <= last; ++k) {
    const double y = ys[k], parts = side.square * side.kappa * y * y + std::fabs(side.line) * y;
    half.places[k] = side.value(y);
    half.offs[k] = (parts + std::fabs(side.constant)) * (24 + 8 * exponents) * u;  // proof: shuffled-terms
  }
  half.offs[0] += std::fabs(half.places[0]), half.places[0] = 0;
  const auto tails_at = [&](double shift) {
    std::vector<double> tails((last + 8) / 8 * 8, 0.0);
    for (std::size_t k = 0; k <= last; ++k) tails[k] = std::min(37.0, std::fabs(at[k] - shift));
    default_fft_kernel().normal_tails(tails.data(), tails.size());
    return tails;
  };
  const std::vector<double> tails[]{tails_at(0), tails_at(side.mu), tails_at(2 * side.mu)};
  const double parts[]{side.constant, side.line, side.square};
  // E Z over a cell, and what it and `high` times the mass are off by.
  struct Cell {
    double mass, mean, error;
  };
  const auto cell = [&](std::size_t from, std::size_t to, double high) {
    Cell one{0, 0, 0};
    for (std::size_t i = 0; i < 3; ++i) {
      if (i > 0 && parts[i] == 0) continue;
      const double shift = static_cast<double>(i) * side.mu, b = to > last ? infinity : at[to] - shift;
      const Probability p = between(at[from] - shift, b, tails[i][from], to > last ? 0 : tails[i][to]);
      const double times = std::fabs(parts[i]) + (i == 0 ? high : 0);
      one.mean += parts[i] * p.value;
      one.error += times * (p.off + 8 * u * p.value);  // proof: shuffled-terms
      if (i == 0) one.mass = p.value + p.off;
    }
    return one;
  };
  for (std::size_t k = 1; k <= last; ++k) {
    const double low = half.places[k - 1], high = half.places[k], width = high - low;
    const Cell one = cell(k - 1, k, high);
    const double error = one.error + 4 * std::max(half.offs[k - 1], half.offs[k]) * one.mass;  // proof: shuffled-terms
    half.masses[k - 1] += std::max(0.0, high * one.mass - one.mean + error) / width;
    half.masses[k] += std::max(0.0, one.mean - low * one.mass + error) / width;
  }
  const Cell beyond = cell(last, last + 1, half.places[last]);
  half.masses[last] += beyond.mass;
  half.excess = std::max(0.0, beyond.mean - half.places[last] * beyond.mass) + 2 * beyond.error;
  half.zero = half.masses[0];
  return half;
}

}  // namespace

SplitLaw split_lognormal(double deviation, double width, double tail) {
  const double step = with_bits(width, 3), reach = upper_normal_quantile(tail).upper;
  const double first = -std::ceil(std::min(reach, harmless) / step) * step;
  const auto cells = static_cast<std::size_t>(std::ceil((deviation + reach - first) / step));
  SplitLaw law{.values = {0.0}, .masses = {0.0}, .step = step};
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

TermLaw term_law(double mu, bool replaces, Way way, double alpha, const TermGrid& grid) {
  const Half above = half_of(side_of(mu, replaces, way, alpha, true), grid.near, grid.ratio, grid.top);
  const Half below = half_of(side_of(mu, replaces, way, alpha, false), grid.near, grid.ratio, grid.bottom);
  const auto tail = [](double x) { return normal_tail(std::fabs(x)); };
  // Neither is above 0.
  const Probability none = between(-below.begins, above.begins, tail(below.begins), tail(above.begins));
  TermLaw law;
  law.excess = above.excess * (1 + 8 * u) + 1e-300;  // proof: shuffled-terms
  const auto push = [&](double at, double mass) {
    law.places.push_back(at), law.masses.push_back(mass * (1 + 16 * u) + 1e-300);  // proof: shuffled-terms
  };
  for (std::size_t k = below.places.size(); k-- > 1;)
    push(-below.places[k] + below.offs[k], below.masses[k]);  // proof: shuffled-terms
  push(0, none.value + none.off + above.zero + below.zero);
  for (std::size_t k = 1; k < above.places.size(); ++k)
    push(above.places[k] + above.offs[k], above.masses[k]);  // proof: shuffled-terms
  return law;
}

}  // namespace hockeystick
