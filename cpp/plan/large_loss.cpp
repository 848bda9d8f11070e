// SPDX-License-Identifier: Apache-2.0
#include "plan/large_loss.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "numeric/elementary.hpp"
#include "numeric/root.hpp"
#include "numeric/simd/vector_math.hpp"
#include "numeric/sum.hpp"
#include "plan/normal_tail.hpp"
#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

// The losses of all terms in increasing order, and the expected number of steps with each. The first `small` of them
// are small.
struct Losses {
  explicit Losses(const Saddlepoint& saddlepoint) {
    std::vector<std::pair<double, double>> all;
    for (std::size_t j = 0; j < saddlepoint.terms(); ++j) {
      const SeenNodes nodes = saddlepoint.nodes(j);
      std::vector<double> mass(nodes.log_mass.begin(), nodes.log_mass.end());
      exponentials(mass);
      CompensatedSum sum;
      for (const double each : mass) sum.add(each);
      for (std::size_t i = 0; i < mass.size(); ++i)
        all.emplace_back(nodes.loss[i], mass[i] * saddlepoint.count(j) / sum.value());
    }
    std::sort(all.begin(), all.end());
    for (const auto& [at, expected_number] : all) loss.push_back(at), count.push_back(expected_number);
  }

  // Counts losses below half of epsilon as small. True if their sum hardly reaches epsilon.
  bool is_decided_at(double epsilon) {
    double square = 0;
    small = 0, expected = mean = 0;
    for (; small < loss.size() && loss[small] < epsilon / 2; ++small)
      mean += count[small] * loss[small], square += count[small] * loss[small] * loss[small];
    for (std::size_t i = small; i < loss.size(); ++i) expected += count[i];
    deviation = std::sqrt(square);
    return epsilon > tuning::far_apart * deviation;
  }
  // Whether two large losses in one run are too rare to affect delta.
  bool is_one(double delta) const { return expected * expected < tuning::two_large_losses * delta; }

  // log delta of runs with at most one large loss. `most`: deviations of the small losses' sum that are counted.
  double log_delta(double epsilon, double most = 38) const {
    double sum = 1e-300 + above(epsilon - mean, most);
    for (std::size_t i = loss.size(); i > small; --i) {
      const double next = above(epsilon - loss[i - 1] - mean, most);
      if (next == 0) break;
      sum += count[i - 1] * next;
    }
    return math::log(sum);
  }
  // E (1 - e^(y - X))+ for a normal X of mean 0 and this deviation.
  double above(double y, double most) const {
    constexpr double farthest = 8;
    const double x = y / deviation;
    if (x > most) return 0;
    if (x < -farthest) return -math::expm1(y);
    return math::exp(-x * x / 2) * (scaled_normal_tail(x) - scaled_normal_tail(x + deviation));
  }

  // Empty unless the sum of small losses is nearly normal at this distance.
  std::optional<LargeLoss> at(double epsilon) const {
    constexpr double normal = 8, half = 0.7;  // deviations; log 2, about
    const double apart = deviation / 16, fall = log_delta(epsilon - apart) - log_delta(epsilon + apart);
    const LargeLoss found{epsilon, log_delta(epsilon), fall / (2 * apart)};
    if (log_delta(epsilon, normal) < found.log_delta - half) return {};
    return found;
  }

  std::vector<double> loss, count;
  std::size_t small = 0;
  double expected = 0;             // number of large losses
  double mean = 0, deviation = 0;  // of the sum of small losses
};

}  // namespace

std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most) {
  Losses losses(saddlepoint);
  if (!losses.is_decided_at(epsilon)) return {};
  const std::optional<LargeLoss> found = losses.at(epsilon);
  if (!found || !(found->log_delta < log_most) || !losses.is_one(math::exp(found->log_delta))) return {};
  return found;
}

// Epsilon of large losses alone first. Then it is moved by half of the small losses' variance if that is little, or
// else found by bisection.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta) {
  constexpr int halvings = 12;
  constexpr double hardly_moved = 1;  // deviations times the slope
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
  const auto is_above = [&](double loss) { return losses.log_delta(loss) > log_delta; };
  return losses.at(halved(alone / 2, alone + 20 * losses.deviation, halvings, 0, is_above).lower);
}

}  // namespace hockeystick
