// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_sum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>
#include <vector>

#include "numeric/complex.hpp"
#include "numeric/elementary.hpp"
#include "numeric/point_mass_transform.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

using Complex = std::complex<double>;

constexpr double most_samples = 1 << 12;  // of a line; fewer than 100 as a rule
// Samples end where the normal variable's transform has fallen by this number of nats. The sum's repetitions lie so far
// apart that they fall by the same number.
constexpr double damped = 7;
// Sparse samples tell which others add no more than that leaves of the first. Half or twice as many take 3 to 6 % more.
constexpr std::size_t sparse = 32;

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

// Complex numbers and bounds of what they are off by. What is below 2^-100 counts as 0.
struct Samples {
  std::vector<double> re, im, errors;

  void resize(std::size_t size) {
    for (std::vector<double>* each : {&re, &im, &errors}) each->resize(size);
  }
  void multiply(const Samples& by) {
    for (std::size_t k = 0; k < re.size(); ++k) {
      const double x = re[k] * by.re[k] - im[k] * by.im[k], y = re[k] * by.im[k] + im[k] * by.re[k];
      const double kept = x * x + y * y > 0x1p-200 ? 1 : 0;
      re[k] = x * kept, im[k] = y * kept;
    }
  }
};

// Of a term, tilted, at the multiples of `spacing`.
PointMassTransform transform_of(const Placed& term, double tilt, double spacing, std::vector<double>& tilted) {
  moments(term.masses, term.places, tilt, tilted);
  const double end = std::fabs(term.places.back());
  const auto point_at = [&](std::size_t k) {
    const double x = term.places[k], off = (8 + 4 * tilt * (std::fabs(x) + end)) * u;  // proof: shuffled-terms
    return PointMass{term.masses[k] * tilted[k], x, off};
  };
  return {term.places.size(), point_at, spacing};
}

// Multiplies the values by the transform of a tilted term at the first multiples of `spacing`, to the power of its
// number; errors are relative to 1.
void multiply_by_powers(const Placed& term, double tilt, double spacing, std::vector<double>& tilted, Samples& values) {
  PointMassTransform transform = transform_of(term, tilt, spacing, tilted);
  Samples base;
  base.resize(values.errors.size());
  for (std::size_t k = 0; k < values.errors.size(); ++k) {
    const auto [re_less_1, im, rounding] = transform.next();
    base.re[k] = 1 + re_less_1, base.im[k] = im;
    values.errors[k] += term.times() * (rounding + 8 * u);  // proof: shuffled-terms
  }
  Samples power = base;
  for (int bit = std::ilogb(term.times()); bit-- > 0;) {
    power.multiply(power);
    if ((term.count >> bit) % 2 == 1) power.multiply(base);
  }
  values.multiply(power);
}

// Of the samples at multiples of `spacing`, the number of the first ones, and what the others add, by the transform of
// one term, whose size changes by at most w E|X - x| from a frequency to another one at the distance w.
struct Enough {
  std::size_t samples;
  double left_out;
};

Enough samples_that_suffice(const Placed& term, double tilt, double variance, double spacing, std::size_t samples,
                            std::vector<double>& tilted) {
  const std::size_t half = samples / (2 * sparse), apart = 2 * half, length = term.places.size();
  if (half == 0) return {samples, 0};
  PointMassTransform transform = transform_of(term, tilt, static_cast<double>(apart) * spacing, tilted);
  double mass = 0, mean = 0, spread = 0;
  for (std::size_t k = 0; k < length; ++k) {
    const double q = term.masses[k] * tilted[k];
    mass += q, mean += q * term.places[k];
  }
  for (std::size_t k = 0; k < length; ++k)
    spread += term.masses[k] * tilted[k] * std::fabs(term.places[k] - mean / mass) * (1 + 1e-9);
  const double changes = static_cast<double>(half) * spacing * spread / mass;
  std::vector<double> adds;  // samples nearest to each sparse one
  for (std::size_t j = 1; apart * j - half <= samples; ++j) {
    const auto [re_less_1, im, rounding] = transform.next();
    const double size = std::sqrt((1 + re_less_1) * (1 + re_less_1) + im * im);
    const double most = std::min(1.0, size + 2 * rounding + changes);  // proof: shuffled-terms
    const double y = static_cast<double>(apart * j - half) * spacing / tilt;
    const double power = math::exp(term.times() * math::log(most) * (1 - 1e-9) - variance * y * y / 2);
    adds.push_back(2 * static_cast<double>(apart) * power / (1 + y * y));  // proof: shuffled-terms
  }
  const double hardly = math::exp(-damped);
  Enough enough{samples, 0};
  for (std::size_t j = adds.size(); j > 0 && enough.left_out + adds[j - 1] <= hardly; --j)
    enough.left_out += adds[j - 1], enough.samples = std::min(samples, apart * j - half - 1);
  return enough;
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
  const auto most = static_cast<std::size_t>(std::ceil(last / spacing));
  // The mean is at most the sum over all k of Re f(tilt + i k spacing) spacing / (2 pi), f(z) = e^(v z^2 / 2) E e^(z S)
  // / z^2, v the variance that is added; here in units of its value at k = 0.
  const double step = spacing / tilt, variance = deviation * deviation * tilt * tilt;
  const auto [samples, left_out] = samples_that_suffice(sum.terms().front(), tilt, variance, spacing, most, sum.room());
  const Complex turn{math::cos(variance * step), math::sin(variance * step)};
  Samples values;
  values.resize(samples);
  Complex turned = 1;
  for (std::size_t k = 0; k < samples; ++k) {
    turned = product_of(turned, turn);
    values.re[k] = turned.real(), values.im[k] = turned.imag();
    values.errors[k] = static_cast<double>(8 * k + samples + 64) * u;  // proof: shuffled-terms
  }
  for (const Placed& one : sum.terms()) multiply_by_powers(one, tilt, spacing, sum.room(), values);
  double total = 1, off = static_cast<double>(samples + 8) * u + left_out * (1 + 1e-9);
  for (std::size_t k = 0; k < samples; ++k) {
    const double y = step * static_cast<double>(k + 1), size = 1 + y * y;
    const double damp = 2 * math::exp(-variance * y * y / 2) / size;
    total += damp * (values.re[k] * (1 - y * y) + 2 * values.im[k] * y) / size;
    off += damp * math::expm1(values.errors[k]);
  }
  const double end = step * static_cast<double>(most);
  off += 2 * math::exp(-variance * end * end / 2) / (step * end);  // proof: shuffled-terms
  const double scale = math::exp(all.above() + variance / 2) * step / (2 * std::numbers::pi * tilt);
  const double mean = (std::max(0.0, total) + off * (1 + 1e-9)) * scale * (1 + rounding) + excess + 1e-300;
  return mean < infinity ? mean : infinity;
}

}  // namespace hockeystick
