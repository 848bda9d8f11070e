// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t most_points = std::size_t{1} << 16;  // of a transform, which takes 3 ms
constexpr double window = 24;                              // in units of 1 / tilt

// Of some places, sums of q m and of k q m: four at once, of which none waits for another.
std::array<double, 2> mass_and_place(const std::vector<double>& masses, const std::vector<double>& factors,
                                     std::size_t from, std::size_t to) {
  const double *m = masses.data(), *f = factors.data();
  double mass[4] = {}, place[4] = {};
  std::size_t k = from;
  for (; k + 4 <= to; k += 4)
    for (std::size_t i = 0; i < 4; ++i) {
      const double q = m[k + i] * f[k + i];
      mass[i] += q, place[i] += q * static_cast<double>(static_cast<std::int64_t>(k + i));
    }
  for (; k < to; ++k) mass[0] += m[k] * f[k], place[0] += m[k] * f[k] * static_cast<double>(k);
  return {mass[0] + mass[1] + mass[2] + mass[3], place[0] + place[1] + place[2] + place[3]};
}

// log E e^(tilt X), and its slope in the tilt.
struct Moments {
  double log_mass = 0, mean = 0;
};

Moments moments(const SameTerms& terms, double tilt, std::vector<double>& room) {
  const TermLaw& law = *terms.law;
  const double first = static_cast<double>(law.first), below = terms.loss * law.spacing,
               above = terms.gain * law.spacing;
  const std::size_t size = law.masses.size(),
                    negative = law.first < 0 ? std::min(size, static_cast<std::size_t>(-law.first)) : 0;
  const double top = tilt * (first + static_cast<double>(size - 1)) * (negative == size ? below : above);
  room.resize(size);
  for (std::size_t k = 0; k < negative; ++k) room[k] = tilt * (first + static_cast<double>(k)) * below - top;
  for (std::size_t k = negative; k < size; ++k) room[k] = tilt * (first + static_cast<double>(k)) * above - top;
  exponentials(room);
  const auto [mass, mean] = mass_and_place(law.masses, room, 0, negative);
  const auto [more, further] = mass_and_place(law.masses, room, negative, size);
  const double sum = below * (first * mass + mean) + above * (first * more + further);
  return {top + math::log(mass + more), sum / (mass + more)};
}

double mean_of(std::span<const SameTerms> terms) {
  double mean = 0;
  for (const auto& [law, count, gain, loss] : terms)
    for (std::size_t k = 0; k < law->masses.size(); ++k) {
      const double x = law->at(k);
      mean += static_cast<double>(count) * x * (x < 0 ? loss : gain) * law->masses[k];
    }
  return mean;
}

// Of the sum of all terms.
Moments moments(std::span<const SameTerms> terms, double tilt, std::vector<double>& room) {
  Moments all;
  for (const SameTerms& each : terms) {
    const Moments one = moments(each, tilt, room);
    all.log_mass += static_cast<double>(each.count) * one.log_mass;
    all.mean += static_cast<double>(each.count) * one.mean;
  }
  return all;
}

// About where log E e^(tilt (S - less)) - 2 log tilt is least, which is convex: by bisection, from `tilt` on.
void find_tilt(std::span<const SameTerms> terms, double less, double& tilt, std::vector<double>& room) {
  double low = 0, high = infinity, factor = 1.3;
  const double steepest = 1e4 / terms.front().law->spacing;  // where no sum exceeds `less` by much
  for (int step = 0; step < 60 && high > 1.31 * low && low < steepest; ++step) {
    const bool rises = !(moments(terms, tilt, room).mean - less - 2 / tilt < 0);
    (rises ? high : low) = tilt;
    tilt = low == 0 ? tilt / factor : high == infinity ? factor * tilt : std::sqrt(low * high);
    factor *= 1.3;
  }
}

// How far sums reach above `less`: one at the end of the window counts e^-24, and about e^-8 of the tilted mass lies
// beyond, for the best of some further tilts.
double window_of(std::span<const SameTerms> terms, double less, double tilt, std::vector<double>& room) {
  const double at = moments(terms, tilt, room).log_mass;
  double reach = infinity;
  for (double further = 0.25 * tilt; further > 0.004 * tilt; further /= 2) {
    const double rise = moments(terms, tilt + further, room).log_mass - at - further * less;
    if ((8 + rise) / further < reach)
      reach = (8 + rise) / further;
    else if (reach < infinity)
      break;
  }
  return std::max(window / tilt, reach);
}

// Tilted masses of a term on a circle, each e^(by x - log_unit) of a mass.
struct Circle {
  double total = 0, log_unit = 0;
};

Circle circle_of(const TermLaw& term, double by, std::size_t size, SumSpace& space) {
  std::vector<double>& tilted = space.room;
  Circle circle{0, moments({&term, 1}, by, tilted).log_mass};
  space.circle.assign(size, 0.0);
  double largest = std::fabs(circle.log_unit);
  for (std::size_t k = 0; k < tilted.size(); ++k) tilted[k] = by * term.at(k) - circle.log_unit;
  largest += std::max(std::fabs(tilted.front()), std::fabs(tilted.back()));
  exponentials(tilted);
  const double meet = static_cast<double>(tilted.size() / size + 1);
  const double raised = 1 + (8 + 2 * largest + meet) * u;  // proof: shuffled-terms
  const auto period = static_cast<std::int64_t>(size);
  auto place = static_cast<std::size_t>(((term.first % period) + period) % period);
  CompensatedSum total;
  for (std::size_t k = 0; k < tilted.size(); ++k) {
    const double mass = tilted[k] * term.masses[k] * raised + 1e-300;
    space.circle[place] += mass;
    total.add(mass);
    if (++place == size) place = 0;
  }
  circle.total = total.value() * (1 + 8 * u);
  return circle;
}

// The sum of masses, raised by `error`, times factors and values from `first` on: four sums at once.
double tilted_sum(const double* masses, const double* factors, std::size_t size, double error, double first,
                  double spacing) {
  double sums[4] = {};
  const auto add = [=](double& to, std::size_t k) {
    const double value = first + static_cast<double>(static_cast<std::int64_t>(k)) * spacing;
    to += std::max(0.0, masses[k] + error) * factors[k] * value;  // proof: shuffled-terms
  };
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4)
    for (std::size_t i = 0; i < 4; ++i) add(sums[i], k + i);
  for (; k < size; ++k) add(sums[0], k);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The spacing of a grid for the sum, a power of two. It is coarser than that of a term where `less` is far below the
// mean.
double spacing_of(std::span<const SameTerms> terms, double grid, double tilt, double over) {
  double natural = 0, count = 0;
  for (const auto& [law, times, gain, loss] : terms) {
    natural = std::max(natural, law->spacing * (gain == loss ? gain : (gain + loss) / 2));
    count += static_cast<double>(times);
  }
  const double coarse = grid * std::min(1 / tilt, over) / std::sqrt(count);
  return std::ldexp(1.0, std::ilogb(std::max(natural, coarse)));
}

}  // namespace

double mean_positive_part(std::span<const SameTerms> terms, double less, double grid, double& tilt, SumSpace& space) {
  double most = 0, excess = 0;
  for (const auto& [law, count, gain, loss] : terms) {
    most += static_cast<double>(count) * gain * std::max(0.0, law->at(law->masses.size() - 1));
    excess += static_cast<double>(count) * gain * law->excess;
  }
  excess *= 1 + 1e-12;                            // proof: shuffled-terms
  if (most * (1 + 1e-12) <= less) return excess;  // proof: shuffled-terms
  std::vector<double>& room = space.room;
  find_tilt(terms, less, tilt, room);
  const double reach = window_of(terms, less, tilt, room);
  const double natural = spacing_of(terms, grid, tilt, mean_of(terms) - less);
  const double least = std::min(reach, 0x1p900) / static_cast<double>(most_points);
  const double spacing = std::max(natural, std::ldexp(1.0, std::ilogb(least) + 1));
  const double wanted = reach / spacing;
  const std::size_t size =
      RealFft::good_size(static_cast<std::size_t>(std::clamp(wanted, 64.0, static_cast<double>(most_points))));
  const double period = spacing * static_cast<double>(size);
  tilt = std::max(tilt, window / period);
  const double by = with_bits(tilt, 20);  // products with places are exact
  checkpoint();
  const auto fft = shared_fft(size);
  double log_unit = 0, log_total = 0, off = by * std::fabs(less);
  const auto next = [&](const SameTerms& each) {
    const auto n = static_cast<double>(each.count);
    const bool as_is = each.gain == 1 && each.loss == 1 && spacing == each.law->spacing;
    const TermLaw moved = as_is ? TermLaw{} : stretched(*each.law, each.gain, each.loss, spacing);
    const TermLaw& law = as_is ? *each.law : moved;
    const Circle circle = circle_of(law, by, size, space);
    log_unit += n * circle.log_unit, off += n * std::fabs(circle.log_unit);
    log_total += n * std::max(0.0, math::log(circle.total)) * (1 + 8 * u) + 1e-12;
  };
  double error = 0;
  if (terms.size() == 1) {
    next(terms.front());
    if (terms.front().count > 1) error = cyclic_power(*fft, space.circle, terms.front().count);
  } else {
    CyclicProduct product(*fft);
    for (const SameTerms& each : terms) {
      next(each);
      product.multiply(space.circle, each.count);
    }
    error = product.finish(space.circle);
  }
  // Sums from the first place above `less` on, one period; those beyond would seem lower, those below are raised.
  const double start = std::floor(less / spacing) + 1, rest = std::fmod(start, static_cast<double>(size));
  const auto place = static_cast<std::size_t>(rest < 0 ? rest + static_cast<double>(size) : rest);
  const auto value = [&](std::size_t k) { return (start + static_cast<double>(k)) * spacing - less; };
  room.resize(size);
  for (std::size_t k = 0; k < size; ++k) room[k] = -by * value(k);
  exponentials(room);
  double sum = tilted_sum(space.circle.data() + place, room.data(), size - place, error, value(0), spacing);
  sum += tilted_sum(space.circle.data(), room.data() + (size - place), place, error, value(size - place), spacing);
  const double rounding = (2 * static_cast<double>(size) + 128 + 4 * by * period) * u;
  sum += math::exp(log_total) * period * math::exp(-by * period);                             // proof: shuffled-terms
  const double scale = math::exp(log_unit - by * less) * (1 + rounding + (4 + 4 * off) * u);  // proof: shuffled-terms
  const double mean = (sum * scale + excess) * (1 + 8 * u) + 1e-300;                          // proof: shuffled-terms
  return mean < infinity ? mean : infinity;
}

}  // namespace hockeystick
