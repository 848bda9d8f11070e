// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_terms.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "numeric/elementary.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/normal.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 18;  // of a transform, which takes 10 ms

double power_of_two(double x) { return std::ldexp(1.0, std::ilogb(x)); }

// Of a cell between the values `low` and `high`, P(cell) and E of the value over it: masses at both ends, rounded up.
struct Ends {
  double low, high;
};

Ends split_cell(double mass, double mean, double low, double high, double off) {
  // proof: shuffled-left-out
  const double error = (normal_error + 3 * off + 8 * u) * (mean + high * mass);
  return {std::max(0.0, high * mass - mean + error) / (high - low),
          std::max(0.0, mean - low * mass + error) / (high - low)};
}

// What T is multiplied by, for each value of Y, rounded up.
std::vector<double> factors(const SplitLaw& y, Way way, double alpha) {
  const double up = way == Way::forth ? 1 : -1;
  std::vector<double> all;
  for (const double value : y.values) {
    const double moved = value * (1 + up * (y.off + 8 * u));  // proof: shuffled-left-out
    all.push_back(way == Way::forth ? moved - alpha : 1 - alpha * moved);
  }
  return all;
}

// log E e^(tilt X), and its slope in the tilt.
struct Moments {
  double log_mass, mean;
};

Moments moments(const TermLaw& term, double tilt, std::vector<double>& room) {
  room.resize(term.masses.size());
  for (std::size_t k = 0; k < room.size(); ++k) room[k] = tilt * term.at(k);
  const double top = room.back();
  for (double& x : room) x -= top;
  exponentials(room);
  double mass = 0, first = 0;
  for (std::size_t k = 0; k < room.size(); ++k) {
    const double q = room[k] * term.masses[k];
    mass += q, first += q * term.at(k);
  }
  return {top + math::log(mass), first / mass};
}

// About where count log E e^(tilt X) - tilt less - 2 log tilt is least, which is convex: by bisection, from `tilt` on.
void find_tilt(const TermLaw& term, double count, double less, double& tilt, std::vector<double>& room) {
  double low = 0, high = infinity;
  for (int step = 0; step < 40 && high > 1.3 * low; ++step) {
    const bool rises = !(count * moments(term, tilt, room).mean - less - 2 / tilt < 0);
    (rises ? high : low) = tilt;
    tilt = low == 0 ? tilt / 3 : high == infinity ? 3 * tilt : std::sqrt(low * high);
  }
}

}  // namespace

SplitLaw split_lognormal(double deviation, double width, double tail) {
  const double step = power_of_two(width), reach = upper_normal_quantile(tail).upper;
  const double first = -std::ceil(reach / step) * step;
  const auto cells = static_cast<std::size_t>(std::ceil((deviation + 2 * reach) / step));
  SplitLaw law{{0.0}, {0.0}};
  const double half_square = deviation * deviation / 2, most = deviation * (reach + deviation + 1) + half_square;
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
  for (double& mass : law.masses) mass = mass * (1 + 8 * u) + 1e-300;  // proof: shuffled-left-out
  law.excess = normal_tail(last - deviation) * raised + 1e-300;        // proof: shuffled-left-out
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
  const double raise = t.off + 4 * u;  // proof: shuffled-left-out
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
  for (double& mass : law.masses) mass *= 1 + (2 * terms + 16) * u;  // proof: shuffled-left-out
  // proof: shuffled-left-out
  law.excess = (beyond * spacing + t.excess + (way == Way::forth ? y.excess : 0.0)) * (1 + (2 * terms + 16) * u);
  return law;
}

double mean_positive_part(const TermLaw& term, std::int64_t count, double less, double& tilt) {
  const auto n = static_cast<double>(count);
  std::vector<double> tilted;
  find_tilt(term, n, less, tilt, tilted);
  // A sum at the end of the window counts e^-48, and about e^-10 of the tilted mass lies beyond.
  const double further = 0.25 * tilt, at = moments(term, tilt, tilted).log_mass;
  const double rise = n * (moments(term, tilt + further, tilted).log_mass - at) - further * less;
  const double wanted = std::max(48 / tilt, (10 + rise) / further) / term.spacing;
  const std::size_t size =
      RealFft::good_size(static_cast<std::size_t>(std::clamp(wanted, 64.0, static_cast<double>(most_points))));
  const double period = term.spacing * static_cast<double>(size);
  tilt = std::max(tilt, 48 / period);
  const double by = with_bits(tilt, 20);  // products with places are exact
  const double log_unit = moments(term, by, tilted).log_mass;
  double largest = std::fabs(log_unit);
  for (std::size_t k = 0; k < tilted.size(); ++k) tilted[k] = by * term.at(k) - log_unit;
  largest += std::max(std::fabs(tilted.front()), std::fabs(tilted.back()));
  exponentials(tilted);
  const double meet = static_cast<double>(tilted.size() / size + 1);
  const double raised = 1 + (8 + 2 * largest + meet) * u;  // proof: shuffled-left-out
  std::vector<double> circle(size, 0.0);
  const auto period_index = static_cast<std::int64_t>(size);
  auto place = static_cast<std::size_t>(((term.first % period_index) + period_index) % period_index);
  CompensatedSum total;
  for (std::size_t k = 0; k < tilted.size(); ++k) {
    const double mass = tilted[k] * term.masses[k] * raised + 1e-300;
    circle[place] += mass;
    total.add(mass);
    if (++place == size) place = 0;
  }
  checkpoint();
  const double error = count == 1 ? 0 : cyclic_power(*shared_fft(size), circle, count);
  // Sums from the first place above `less` on, one period; those beyond would seem lower, those below are raised.
  const double start = std::floor(less / term.spacing) + 1;
  const auto rest = static_cast<std::int64_t>(std::fmod(start, static_cast<double>(size)));
  place = static_cast<std::size_t>(rest);
  std::vector<double> value(size), fall(size);
  for (std::size_t k = 0; k < size; ++k) {
    value[k] = (start + static_cast<double>(k)) * term.spacing - less;
    fall[k] = -by * value[k];
  }
  exponentials(fall);
  double sum = 0;
  for (std::size_t k = 0; k < size; ++k) {
    sum += std::max(0.0, circle[place] + error) * fall[k] * value[k];  // proof: shuffled-left-out
    if (++place == size) place = 0;
  }
  const double rounding = (2 * static_cast<double>(size) + 128 + 4 * by * period) * u;
  const double all = math::exp(n * math::log(total.value() * (1 + 8 * u)) * (1 + 8 * u) + 1e-12);
  sum += all * period * math::exp(-by * period);  // proof: shuffled-left-out
  const double log_scale = n * log_unit - by * less;
  const double of_scale = 4 * (n * std::fabs(log_unit) + by * less) * u;
  const double scale = math::exp(log_scale) * (1 + rounding + of_scale);       // proof: shuffled-left-out
  const double mean = (sum / n * scale + term.excess) * (1 + 8 * u) + 1e-300;  // proof: shuffled-left-out
  return mean < infinity ? mean : infinity;
}

}  // namespace hockeystick
