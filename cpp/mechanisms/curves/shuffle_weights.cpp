// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/curves/shuffle_weights.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/normal.hpp"

namespace hockeystick {
namespace {

// The probability that any batch's weight is further from 1 than `far`. The probability is summed over levels t of the
// largest size, in deviations, of the term that a record adds to the first output: the weights of records are then
// within a ratio of e^(2 nu t + 2.5 nu^2).
double mistaken_at(double far, double nu, double others, double size, double enough) {
  double total = 0, reached = 1;
  for (double t = 0.5; reached > 0.01 * enough; t += 0.25) {
    const double ratio = math::exp(nu * (2 * t + 2.5 * nu)) * (1 + 1e-9);
    const double spread = (1 + far / 3) * ratio - 1;
    const double exponent = 2 * ratio * size * far * far / (spread * spread) * (1 - 1e-9);  // proof: shuffled-first
    total += reached * std::min(1.0, 2 * others * math::exp(-exponent));                    // proof: shuffled-first
    if (total > enough) return 1;
    reached = std::min(1.0, 2 * others * size * normal_tail(t));  // proof: shuffled-first
  }
  return (total + reached) * (1 + 1e-9);  // proof: shuffled-first
}

}  // namespace

BatchWeights batch_weights(double nu, std::int64_t others, double size, double mistaken) {
  const double count = static_cast<double>(others);
  double near = 1e-6, far = count;
  while (far > 1.01 * near) {
    const double middle = std::sqrt(near * far);
    (mistaken_at(middle, nu, count, size, mistaken) < mistaken ? far : near) = middle;
  }
  const double found = mistaken_at(far, nu, count, size, mistaken);
  if (!(found < mistaken)) return {0, others, 1, 1, 1};
  // The numbers of both weights make their mean 1; the larger number is rounded up.
  const double below = std::min(1.0, far);
  const double highs = std::max(1.0, std::floor(count * below / (below + far)));
  const double high = 1 + (count - highs) / highs * below;  // proof: shuffled-first
  return {static_cast<std::int64_t>(highs), others - static_cast<std::int64_t>(highs), high, 1 - below, found};
}

}  // namespace hockeystick
