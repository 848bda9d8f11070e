// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/cpu.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double most_samples = 1 << 12;  // of a line; fewer than 100 as a rule
// Samples end where the normal variable's transform has fallen by this number of nats. The sum's repetitions lie so far
// apart that they fall by the same number.
constexpr double damped = 7;

constexpr double farthest_angle = 0x1p17;  // that kernels take
// How many masses, or samples, they take.
std::size_t padded(std::size_t count) { return (count + 7) / 8 * 8; }

// log E e^(tilt X), what it is off by, and its first two derivatives in the tilt.
struct Moments {
  double log_mass = 0, off = 0, mean = 0, variance = 0;

  double above() const { return log_mass + off; }
};

// Of a term at the given places. `tilted`: e^(tilt x - top) at each.
Moments moments(const std::vector<double>& masses, const std::vector<double>& places, double tilt,
                std::vector<double>& tilted) {
  const std::size_t size = masses.size();
  const double top = tilt * places.back();
  tilted.resize(size);
  for (std::size_t k = 0; k < size; ++k) tilted[k] = tilt * places[k] - top;
  exponentials(tilted);
  double mass[4] = {}, mean[4] = {}, square[4] = {};
  const auto add = [&](std::size_t k, std::size_t to) {
    const double q = masses[k] * tilted[k], moment = q * places[k];
    mass[to] += q, mean[to] += moment, square[to] += moment * places[k];
  };
  std::size_t k = 0;
  for (; k + 4 <= size; k += 4)
    for (std::size_t i = 0; i < 4; ++i) add(k + i, i);
  for (; k < size; ++k) add(k, 0);
  const double total = mass[0] + mass[1] + mass[2] + mass[3], log_mass = top + math::log(total);
  const double roundings = static_cast<double>(size) + 16 + 8 * std::fabs(log_mass);
  const double reach = tilt * (std::fabs(places.back()) + std::fabs(places.front()));
  const double off = (roundings + 8 * reach) * u;  // proof: shuffled-terms
  const double first = (mean[0] + mean[1] + mean[2] + mean[3]) / total;
  return {log_mass, off, first, (square[0] + square[1] + square[2] + square[3]) / total - first * first};
}

// A term at its places in the sum: all above the last one are moved down there, and `excess` is what the mean loses.
struct Placed {
  std::vector<double>&places, &masses;
  std::int64_t count;
  double excess;

  double times() const { return static_cast<double>(count); }
};

// The sum of all terms minus the constant `less`.
class Sum {
 public:
  Sum(std::span<const SameTerms> terms, double less, SumSpace& space) : room_(space.room) {
    space.places.resize(std::max(space.places.size(), terms.size()));
    space.masses.resize(space.places.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const auto& [law, count, gain, loss] = terms[i];
      const double n = static_cast<double>(count), each = i == 0 ? less / n : 0;
      std::vector<double>& places = space.places[i];
      places.resize(law->places.size());
      for (std::size_t k = 0; k < places.size(); ++k) {
        const double x = law->places[k], most = std::fabs(x) * std::max(gain, loss) + std::fabs(each);
        places[k] = x * (x < 0 ? loss : gain) - each + 8 * u * most;  // proof: shuffled-terms
      }
      space.masses[i] = law->masses;
      all_.push_back({places, space.masses[i], count, law->excess * gain});
      for (std::size_t k = 0; k < places.size(); ++k) mean_ += n * places[k] * law->masses[k];
    }
    double square = 0;
    for (const Placed& one : all_) square += usual_square(one);
    width_ = std::max(std::fabs(mean_), std::sqrt(square));
    for (Placed& one : all_) width_ = std::max(width_, 0.1 * cut(one, square - usual_square(one)));
  }

  Moments at(double tilt) {
    Moments all;
    for (const Placed& each : all_) {
      const Moments one = moments(each.masses, each.places, tilt, room_);
      all.log_mass += each.times() * one.log_mass;
      all.off += each.times() * one.off;
      all.mean += each.times() * one.mean;
      all.variance += each.times() * one.variance;
    }
    return all;
  }

  double largest() const {
    double all = 0;
    for (const Placed& one : all_) all = up(all + up(one.times() * one.places.back()));  // proof: shuffled-terms
    return all;
  }
  double excess() const {
    double all = 0;
    for (const Placed& one : all_) all += one.times() * one.excess;
    return all * (1 + 1e-12);  // proof: shuffled-terms
  }
  // How far 0 is from the mean, or, if that is more, the deviation of the sum as a rule.
  double width() const { return width_; }

  const std::vector<Placed>& terms() const { return all_; }
  std::vector<double>& room() { return room_; }

 private:
  // The square of the deviation of a sum of such terms, each cut to what one of them exceeds in every other sum.
  static double usual_square(const Placed& one) {
    std::size_t k = one.places.size() - 1;
    for (double beyond = 0; k > 0 && one.times() * beyond < 0.5; --k) beyond += one.masses[k];
    const double most = one.places[k] * one.places[k];
    double square = 0;
    for (std::size_t i = 0; i < one.places.size(); ++i)
      square += one.masses[i] * std::min(most, one.places[i] * one.places[i]);
    return one.times() * square;
  }

  // Ends a term where one of its size lifts the sum above 0, but for about 4 deviations of the rest, whose square
  // begins with `square`: there the positive part goes on as a line, of which the mean is taken. The deviation of what
  // is left.
  double cut(Placed& one, double square) {
    double mean = 0;
    for (std::size_t k = 0; k < one.places.size(); ++k) mean += one.places[k] * one.masses[k];
    const double far = mean + std::max(0.0, -mean_);
    std::size_t last = 0;
    for (; last < one.places.size() && one.places[last] <= far + 4 * std::sqrt(square); ++last) {
      const double x = one.places[last] - mean;
      square += one.times() * one.masses[last] * x * x;
    }
    if (last == one.places.size()) return std::sqrt(square);
    const double end = far + 4 * std::sqrt(square);
    if (end > one.places[last] || end <= 0) return std::sqrt(square);
    const double sums = 2 * static_cast<double>(one.places.size()) * u;
    double mass = 0;
    for (std::size_t k = last; k < one.places.size(); ++k) {
      one.excess += one.masses[k] * (one.places[k] - end) * (1 + 4 * u);  // proof: shuffled-terms
      mass += one.masses[k];
    }
    one.places.resize(last + 1), one.masses.resize(last + 1);
    one.places[last] = end, one.masses[last] = mass * (1 + sums);  // proof: shuffled-terms
    return std::sqrt(square);
  }

  std::vector<Placed> all_;
  std::vector<double>& room_;
  double mean_ = 0, width_ = 0;
};

// About where log E e^(tilt S) - 2 log tilt is least, which is convex: by bisection, from `tilt` on, and a last step of
// Newton's.
void find_tilt(Sum& sum, double& tilt) {
  const double steepest = 1e6 * sum.terms().front().times() / sum.largest();  // where no sum exceeds 0 by much
  double low = 0, high = infinity, factor = 1.3;
  for (int step = 0; step < 60 && high > 1.08 * low && low < steepest; ++step) {
    const Moments at = sum.at(tilt);
    const double slope = at.mean - 2 / tilt, bend = at.variance + 2 / (tilt * tilt);
    if (slope * slope < 0.1 * bend) {
      tilt = std::clamp(tilt - slope / bend, 0.8 * tilt, 1.25 * tilt);
      return;
    }
    (slope < 0 ? low : high) = tilt;
    tilt = low == 0 ? tilt / factor : high == infinity ? factor * tilt : std::sqrt(low * high);
    factor *= 1.3;
  }
}

// About the least period at which e^(tilt x) E (S - x)_+ falls by e^-damped to both sides of 0, by Chernoff's
// inequality at other tilts, from that on which suits a normal variable. `at`: the moments at the tilt.
double period_of(Sum& sum, double tilt, const Moments& at) {
  const double normal = std::sqrt(2 * damped / at.variance);
  const auto reach = [&](double side) {
    double least = infinity;
    for (double further = std::min(0.8 * tilt, normal); further > 0.004 * tilt; further /= 2) {
      const double other = tilt + side * further;
      const double beyond = (damped + sum.at(other).log_mass - at.log_mass + math::log(tilt / other)) / further;
      if (!(beyond < least) && least < infinity) break;
      least = std::min(least, beyond);
      if (least < 1.3 * (2 * damped / normal + side * at.mean)) break;
    }
    return least;
  };
  return std::max(reach(1), reach(-1));
}

// Multiplies the first samples by the transform of a tilted term at multiples of `spacing`, to the power of its number.
// `moved` is added to each place. Returns a bound of the error of each sample, relative to 1.
double multiply_by_powers(const Placed& term, double tilt, double spacing, double moved, std::vector<double>& tilted,
                          std::span<double> re, std::span<double> im) {
  moments(term.masses, term.places, tilt, tilted);
  const std::size_t size = term.places.size(), count = re.size();
  const double end = std::fabs(term.places.back());
  std::vector<double> masses(padded(size), 0.0), angles(padded(size), 0.0), own_re(count), own_im(count);
  double total = 0, off = 0, far = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const double mass = term.masses[k] * tilted[k], x = term.places[k];
    masses[k] = mass, angles[k] = spacing * (x + moved);
    while (std::fabs(angles[k]) > farthest_angle) angles[k] = nearest_remainder(angles[k], 2 * std::numbers::pi);
    total += mass, off += mass * (std::fabs(x) + end), far += mass * (std::fabs(x) + moved);
  }
  default_fft_kernel().turned_masses(masses.data(), angles.data(), masses.size(), own_re.data(), own_im.data(), count);
  // Of smaller ones the power is below 2^-100, and counts as 0.
  const double least = math::exp(-140 / term.times());
  for (std::size_t k = 0; k < count; ++k) {
    const double x = own_re[k] / total, y = own_im[k] / total, kept = x * x + y * y > least ? 1 : 0;
    own_re[k] = x * kept, own_im[k] = y * kept;
  }
  default_fft_kernel().powers(own_re.data(), own_im.data(), count, static_cast<std::uint64_t>(term.count));
  for (std::size_t k = 0; k < count; ++k) {
    const double x = re[k], y = im[k];
    re[k] = x * own_re[k] - y * own_im[k], im[k] = x * own_im[k] + y * own_re[k];
  }
  const double turns = static_cast<double>(count), places = static_cast<double>(size);
  const double each = 2 * (8 + 4 * tilt * off / total) + turns * (12 + 8 * spacing * far / total) + 2 * places + 64;
  return term.times() * each * u;  // proof: shuffled-terms
}

// E S_+ of one term or two, summed over all places.
double of_few(const Placed& one, const Placed* other) {
  const std::vector<double> none{0}, sure{1};
  const std::vector<double>&places = other == nullptr ? none : other->places,
        &masses = other == nullptr ? sure : other->masses;
  // Of the other term's places above minus the one's, from the last on.
  std::size_t k = places.size();
  double total = 0, mass = 0, moment = 0;
  for (std::size_t i = 0; i < one.places.size(); ++i) {
    for (; k > 0 && places[k - 1] > -one.places[i]; --k) mass += masses[k - 1], moment += masses[k - 1] * places[k - 1];
    total += one.masses[i] * std::max(0.0, moment + one.places[i] * mass);
  }
  // Relative to sums of sizes.
  double sizes = 0, other_sizes = 0, other_mass = 0;
  for (std::size_t i = 0; i < one.places.size(); ++i) sizes += one.masses[i] * std::fabs(one.places[i]);
  for (std::size_t i = 0; i < places.size(); ++i)
    other_sizes += masses[i] * std::fabs(places[i]), other_mass += masses[i];
  const double sums = 2 * static_cast<double>(one.places.size() + places.size() + 8) * u;
  return total + sums * (sizes * other_mass + 2 * other_sizes);  // proof: shuffled-terms
}

}  // namespace

double mean_positive_part(std::span<const SameTerms> terms, double less, double smooth, double enough, double& tilt,
                          SumSpace& space) {
  Sum sum(terms, less, space);
  const double excess = sum.excess();
  if (!(sum.largest() > 0)) return excess;  // proof: shuffled-terms
  const std::vector<Placed>& all_terms = sum.terms();
  const auto number =
      std::accumulate(all_terms.begin(), all_terms.end(), std::int64_t{0},
                      [](std::int64_t sum_so_far, const Placed& one) { return sum_so_far + one.count; });
  if (number <= 2) return of_few(all_terms.front(), number == 2 ? &all_terms.back() : nullptr) + excess;
  find_tilt(sum, tilt);
  checkpoint();
  // S_+ <= e^(tilt S - 1) / tilt.
  const Moments all = sum.at(tilt);
  const double rounding = (32 + 8 * std::fabs(all.log_mass)) * u;
  const double chernoff =
      math::exp(all.above() - 1) / tilt * (1 + rounding) + excess * (1 + 4 * u);  // proof: shuffled-terms
  if (chernoff <= enough) return chernoff;
  const double deviation = std::max(smooth * std::min(1 / tilt, sum.width()), 1e-3 / tilt);
  const double last = std::sqrt(2 * damped) / deviation;
  const double spacing = std::max(2 * std::numbers::pi / period_of(sum, tilt, all), last / most_samples);
  const std::size_t samples = padded(static_cast<std::size_t>(std::ceil(last / spacing)));
  // The mean is at most the sum over all k of Re f(tilt + i k spacing) spacing / (2 pi), f(z) = e^(v z^2 / 2) E e^(z S)
  // / z^2, v the variance that is added; here in units of its value at k = 0. The turn by v belongs to the places.
  const double step = spacing / tilt, variance = deviation * deviation * tilt * tilt;
  const double moved = deviation * deviation * tilt / static_cast<double>(number);
  std::vector<double> re(samples, 1.0), im(samples, 0.0), damp(samples);
  double rounded = static_cast<double>(2 * samples + 64) * u;  // proof: shuffled-terms
  for (const Placed& one : all_terms) rounded += multiply_by_powers(one, tilt, spacing, moved, sum.room(), re, im);
  const auto at = [&](std::size_t k) { return step * static_cast<double>(k + 1); };
  for (std::size_t k = 0; k < samples; ++k) damp[k] = -variance * at(k) * at(k) / 2;
  exponentials(damp);
  double total = 1, sizes = 0;
  for (std::size_t k = 0; k < samples; ++k) {
    const double y = at(k), inverse = 1 / (1 + y * y), size = 2 * damp[k] * inverse;
    total += size * inverse * (re[k] * (1 - y * y) + 2 * im[k] * y);
    sizes += size;
  }
  const double end = at(samples - 1);
  double off = (1 + sizes) * math::expm1(rounded);
  off += 2 * math::exp(-variance * end * end / 2) / (step * end);  // proof: shuffled-terms
  const double scale = math::exp(all.above() + variance / 2) * step / (2 * std::numbers::pi * tilt);
  const double mean = (std::max(0.0, total) + off * (1 + 1e-9)) * scale * (1 + rounding) + excess + 1e-300;
  return mean < infinity ? mean : infinity;
}

}  // namespace hockeystick
