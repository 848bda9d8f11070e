// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/sampled_moment.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

// log of the Q-mass of each outcome times e^(a L).
struct Exponents {
  std::vector<double> loss, of_mean, size;   // `size`: of the parts of an exponent
  double highest = -infinity, farthest = 0;  // the largest exponent, and the largest size

  Exponents(std::span<const LossAtom> atoms, double a) {
    for (const LossAtom& atom : atoms)
      if (atom.q > 0) loss.push_back(atom.loss), of_mean.push_back(atom.q);
    logarithms(of_mean);
    for (std::size_t i = 0; i < loss.size(); ++i) {
      size.push_back(std::fabs(a * loss[i]) + std::fabs(of_mean[i]));
      farthest = std::max(farthest, size[i]);
      highest = std::max(highest, of_mean[i] += a * loss[i]);
    }
  }
};

// And the mean size of the exponents in it.
struct Sum {
  double value, size;
};

Sum sum_of_exponentials(const std::vector<double>& exponents, const std::vector<double>& sizes, double scale) {
  std::vector<double> terms = exponents;
  for (double& each : terms) each -= scale;
  exponentials(terms);
  CompensatedSum sum;
  double size = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) sum.add(terms[i]), size += terms[i] * sizes[i];
  return {sum.value(), size / (sum.value() + 1e-300)};
}

// The exponents of Q (q r)^a = Q e^(a L) (1 - x)^a, x = (1 - q) e^-L, from below and from above: x is off by `off`, a
// part of itself.
struct Moved {
  std::vector<double> low, high;

  Moved(const Exponents& all, double a, double q, double off) {
    std::vector<double> x = all.loss;
    for (double& each : x) each = -each;
    exponentials(x);
    for (double& each : x) each *= 1 - q;
    for (const double each : x) {
      low.push_back(-std::min(1.0, each * (1 + off)));   // proof: sampled-moments
      high.push_back(-std::min(1.0, each * (1 - off)));  // proof: sampled-moments
    }
    logarithms_of_1_plus(low), logarithms_of_1_plus(high);
    for (std::size_t i = 0; i < x.size(); ++i) {
      low[i] = all.of_mean[i] + a * low[i] * (1 + 8 * u);
      high[i] = all.of_mean[i] + a * high[i] * (1 - 8 * u);
    }
  }
};

}  // namespace

Interval sampled_log_moment(const ListedOutcomes& listed, double q, const Interval& plain, double t) {
  const double a = t + 1, moved = a * math::log(q);
  const Exponents all(listed.atoms, a);
  const double scale = std::max(all.highest, plain.upper + moved);
  if (!std::isfinite(scale)) return {-infinity, infinity};
  const double size = all.farthest + std::fabs(moved) + std::fabs(plain.upper) + std::fabs(scale) + 2 * a + 800;
  const double rounded = 8 * u * size, carried = listed.mass_error + 1.01 * a * listed.loss_error;
  if (!(rounded + carried < 0.01)) return {-infinity, infinity};
  const Moved apart(all, a, q, 1.01 * listed.loss_error + 8 * u);
  const auto [sum, mean_size] = sum_of_exponentials(all.of_mean, all.size, scale);
  const double off = 8.1 * u * (mean_size + std::fabs(scale) + 4) + carried;  // proof: sampled-moments
  const double moved_off = 1.01 * (rounded + carried);                        // proof: sampled-moments
  const double least_moved = sum_of_exponentials(apart.low, all.size, scale).value * (1 - moved_off),
               most_moved = sum_of_exponentials(apart.high, all.size, scale).value * (1 + moved_off);
  // Outcomes that are not listed have the rest of E (q r)^a, and by Minkowski's inequality at most this part of E (1 -
  // q + q r)^a.
  const auto all_moved = [=](double log_moment, int side) {
    return math::exp(log_moment + moved - scale) * (1 + 2 * side * rounded);
  };
  const double rest_below = all_moved(plain.lower, -1) - most_moved;  // proof: sampled-moments
  const double rest_above = all_moved(plain.upper, 1) - least_moved;  // proof: sampled-moments
  const double still = (1 - q) * math::exp((math::log(std::max(listed.unlisted_q, 1e-307)) - scale) / a);
  const double root = math::exp(math::log(std::max(rest_above, 1e-300)) / a);
  const double unlisted = math::exp(a * math::log(still + root)) * (1 + 2 * rounded);  // proof: sampled-moments
  const double least = math::log(sum * (1 - 1.01 * off) + std::max(0.0, rest_below)),
               most = math::log(sum * (1 + 1.01 * off) + unlisted);
  const auto error = [=](double log_sum) { return 8 * u * (std::fabs(scale) + std::fabs(log_sum) + 1); };
  return {scale + least - error(least), scale + most + error(most)};  // proof: sampled-moments
}

}  // namespace hockeystick
