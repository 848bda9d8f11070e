// SPDX-License-Identifier: Apache-2.0
// An epoch of a Gaussian mechanism over shuffled batches: a pair below that is closer than the largest batch's where
// noise is large.
//
// As in shuffled.cpp, up to a shift the b outputs are the mean over i of N(with mu e_i, I) before a record is replaced,
// and of N(without mu e_i, I) after, or N(0, I) where the record is left out. Their ratio is that of sums over all
// batches of e^(m x - m^2 / 2), m = with mu or without mu. Let f(x) be the difference of the two terms, rounded up or
// down to a multiple of a unit at random. The sum of f over all batches, modulo a period, is a function of the outputs
// and of coins, so its two laws form a pair below. They are cyclic convolutions.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/discrete/atomic_registration.hpp"
#include "numeric/elementary.hpp"
#include "numeric/fft/cache.hpp"
#include "numeric/fft/convolution.hpp"
#include "numeric/normal.hpp"
#include "numeric/order.hpp"

namespace hockeystick {
namespace {

// Cells of an output, and how far they reach, in units of the noise; the sum reaches as many of its deviations below 0,
// and twice as many above. In a deviation of a batch, units of f. A reach of the sum, or units, half as large lose 1 to
// 3 % of epsilon, twice as large gain 0.3 % at twice the time.
constexpr double cell = 1.0 / 32, reach = 8, units = 4;
// Masses are at least this many times what the transform is off by, or they are merged. A hundredth tells no more; a
// hundred times as many lose up to a tenth of epsilon at a delta of 1e-12.
constexpr double times_off = 1e3;
constexpr double atoms = 4 * units;  // in a deviation of the sum: half as many lose 1e-3 of epsilon

double edge(std::size_t k) { return cell * static_cast<double>(k) - reach; }

// P(cell) of N(mean, 1); the first and the last cell are rays.
std::vector<double> masses_of(double mean, std::size_t cells) {
  std::vector<double> masses;
  for (std::size_t k = 0; k + 1 < cells; ++k)
    masses.push_back(normal_interval(k == 0 ? -infinity : edge(k) - mean, edge(k + 1) - mean));
  masses.push_back(normal_interval(edge(cells - 1) - mean, infinity));
  return masses;
}

// f of the cells, in units, and laws of a batch's f on a circle.
class Batch {
 public:
  Batch(double with, double without) {
    const auto cells = static_cast<std::size_t>((2 * reach + with) / cell);
    const std::vector<double> base = masses_of(0, cells);
    double square = 0;
    for (std::size_t k = 0; k < cells; ++k) {
      const double x = edge(k) + cell / 2;
      f_.push_back(math::exp(with * x - with * with / 2) - math::exp(without * x - without * without / 2));
      square += base[k] * std::min(1.0, f_[k] * f_[k]);
    }
    for (double& f : f_) f *= units / std::sqrt(square);
  }

  std::vector<double> law(double mean, std::size_t period) const {
    const std::vector<double> masses = masses_of(mean, f_.size());
    const double size = static_cast<double>(period);
    std::vector<double> law(period, 0.0);
    for (std::size_t k = 0; k < f_.size(); ++k) {
      const double place = std::clamp(f_[k], -0.25 * size, 0.5 * size), floor = std::floor(place);
      const auto at = static_cast<std::size_t>(floor + size) % period;
      law[at] += masses[k] * (1 - (place - floor));
      law[(at + 1) % period] += masses[k] * (place - floor);
    }
    return law;
  }

 private:
  std::vector<double> f_;
};

// Masses of a place with and without the record, each within `off`.
struct Sum {
  double with = 0, without = 0, off = 0;
};

// A law below that of the sums, whose masses are off by the relative `error` too. The curve is above the line P(S) -
// alpha Q(S) of every set S: between two ratios, of the places beyond the lower one.
AtomicLaw law_below(std::vector<Sum> sums, double error) {
  sort_by(sums, [](const Sum& each) { return each.with / each.without; });
  std::vector<double> alphas, values;
  Sum beyond;
  const auto line = [&](double alpha) {
    const double most = beyond.with + alpha * beyond.without;
    return beyond.with - alpha * beyond.without -
           1.01 * ((1 + alpha) * beyond.off + error * most);  // proof: shuffled-maximum
  };
  for (std::size_t k = sums.size(); k-- > 0;) {
    const double alpha = sums[k].with / sums[k].without, behind = line(alpha);
    beyond.with += sums[k].with, beyond.without += sums[k].without, beyond.off += sums[k].off;
    const double value = std::min(behind, line(alpha));
    if (!alphas.empty() && alpha == alphas.back())
      values.back() = std::min(values.back(), value);
    else
      alphas.push_back(alpha), values.push_back(value);
  }
  std::reverse(alphas.begin(), alphas.end()), std::reverse(values.begin(), values.end());
  return law_below_chords(alphas, values, 0);
}

AtomicLaw below(Parameters p) {
  const double batches = p[1], joins = p[4];
  if (!(p[2] > p[3])) throw std::invalid_argument("with must be larger than without");
  const double shift = std::min(2.0, 1 / p[0] * (1 - 4 * u));  // proof: parameter-rounding
  const Batch batch(p[2] * shift, p[3] * shift);
  const auto fft = shared_fft(RealFft::good_size(static_cast<std::size_t>(3 * reach * units * std::sqrt(batches))));
  const std::size_t period = fft->size();
  double off = 0;
  const std::vector<double> other = batch.law(0, period);
  const auto sum_with = [&](double mean) {
    CyclicProduct product(*fft);
    std::vector<double> others = other, own = mean == 0 ? other : batch.law(mean, period);
    product.multiply(others, static_cast<std::int64_t>(batches) - 1);
    product.multiply(own, 1);
    off = std::max(off, product.finish(own));
    return own;
  };
  std::vector<double> with = sum_with(p[2] * shift), without = sum_with(p[3] * shift);
  if (joins < 1) {
    const std::vector<double> none = sum_with(0);
    for (std::size_t k = 0; k < period; ++k) {
      with[k] = joins * with[k] + (1 - joins) * none[k];
      without[k] = joins * without[k] + (1 - joins) * none[k];
    }
  }
  std::vector<Sum> sums;
  const auto together = static_cast<std::size_t>(std::max(1.0, units * std::sqrt(batches) / atoms));
  Sum next;
  // The sums run from within the negative half of the circle. Mass that is left at the end is dropped, which lowers the
  // curve.
  for (std::size_t k = 0; k < period; ++k) {
    const std::size_t at = (k + period - period / 4) % period;
    next.with += with[at], next.without += without[at], next.off += off;
    if (k % together != 0 || !(std::min(next.with, next.without) > times_off * next.off)) continue;
    sums.push_back(next), next = {};
  }
  return law_below(std::move(sums), 2 * batches * normal_error + u * static_cast<double>(period + 8));
}

const AtomicRegistration registration(below, "shuffled_sum_below",
                                      {{{"noise_multiplier", ranges::noise_multiplier},
                                        {"batches", {2, 1e5, Range::Ends::closed, true}},
                                        {"with", {0, 2}},
                                        {"without", {0, 2}},
                                        {"joins", {0, 1}}}});

}  // namespace
}  // namespace hockeystick
