// SPDX-License-Identifier: Apache-2.0
#include "plan/large_loss.hpp"

#include <cmath>
#include <span>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"
#include "plan/normal_tail.hpp"

namespace hockeystick {
namespace {

// Losses by size, and how often each is expected in all steps together; the first `small` of them are small.
struct Losses {
  explicit Losses(const Saddlepoint& saddlepoint)
      : loss(saddlepoint.nodes(0).loss),
        count(saddlepoint.nodes(0).log_mass.begin(), saddlepoint.nodes(0).log_mass.end()) {
    exponentials(count);
    CompensatedSum sum;
    for (const double mass : count) sum.add(mass);
    for (double& each : count) each *= saddlepoint.count(0) / sum.value();
  }

  // Splits them at half of epsilon, and tells whether it lies far above what all small ones add up to.
  bool is_decided_at(double epsilon) {
    constexpr double deviations = 3;
    double square = 0;
    small = 0, expected = mean = 0;
    for (; small < loss.size() && loss[small] < epsilon / 2; ++small)
      mean += count[small] * loss[small], square += count[small] * loss[small] * loss[small];
    for (std::size_t i = small; i < loss.size(); ++i) expected += count[i];
    deviation = std::sqrt(square);
    return epsilon > deviations * deviation;
  }
  // Whether two large ones are too rare to matter.
  bool is_one(double delta) const {
    constexpr double most = 30;
    return expected * expected < most * delta;
  }

  // With one large loss or none. `most`: deviations of the small ones that are counted.
  double log_delta(double epsilon, double most = 38) const {
    double sum = 1e-300 + above(epsilon - mean, most);
    for (std::size_t i = loss.size(); i > small; --i) {
      const double next = above(epsilon - loss[i - 1] - mean, most);
      if (next == 0) break;
      sum += count[i - 1] * next;
    }
    return math::log(sum);
  }
  // E (1 - e^(y - X))+ of a normal X of this deviation.
  double above(double y, double most) const {
    constexpr double farthest = 8;
    const double x = y / deviation;
    if (x > most) return 0;
    if (x < -farthest) return -math::expm1(y);
    return math::exp(-x * x / 2) * (scaled_normal_tail(x) - scaled_normal_tail(x + deviation));
  }

  // Nothing where small ones deviate by more than what is about normal.
  std::optional<LargeLoss> at(double epsilon) const {
    constexpr double normal = 8, half = 0.7;
    const double apart = deviation / 16, fall = log_delta(epsilon - apart) - log_delta(epsilon + apart);
    const LargeLoss found{epsilon, log_delta(epsilon), fall / (2 * apart)};
    if (log_delta(epsilon, normal) < found.log_delta - half) return {};
    return found;
  }

  std::span<const double> loss;
  std::vector<double> count;
  std::size_t small = 0;
  double expected = 0;             // of the large ones
  double mean = 0, deviation = 0;  // of the small ones
};

}  // namespace

std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most) {
  Losses losses(saddlepoint);
  if (!losses.is_decided_at(epsilon)) return {};
  const std::optional<LargeLoss> found = losses.at(epsilon);
  if (!found || !(found->log_delta < log_most) || !losses.is_one(math::exp(found->log_delta))) return {};
  return found;
}

// Of large losses alone first, then moved by what small ones deviate, or else by halving.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta) {
  constexpr int halvings = 12;
  constexpr double hardly_moved = 1;
  const double delta = math::exp(log_delta);
  Losses losses(saddlepoint);
  double p = 0, q = 0;
  for (std::size_t i = losses.loss.size(); i > 0; --i) {
    const double loss = losses.loss[i - 1], power = math::exp(loss);
    if (!(loss > 0 && p - power * q < delta)) break;
    p += losses.count[i - 1], q += losses.count[i - 1] / power;
  }
  const double alone = math::log((p - delta) / q);
  if (!(alone > 0) || !losses.is_decided_at(alone) || !losses.is_one(delta)) return {};
  const double slope = p / delta - 1, moved = slope * losses.deviation;
  if (moved < hardly_moved) return LargeLoss{alone + losses.mean + moved * losses.deviation / 2, log_delta, slope};
  double low = alone / 2, high = alone + 20 * losses.deviation;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (losses.log_delta(middle) > log_delta ? low : high) = middle;
  }
  return losses.at(low);
}

}  // namespace hockeystick
