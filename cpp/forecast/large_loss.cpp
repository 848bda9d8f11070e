// SPDX-License-Identifier: Apache-2.0
#include "forecast/large_loss.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "forecast/normal_tail.hpp"
#include "numeric/elementary.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

// A loss and how often it is expected.
struct Expected {
  double loss, count;
};

// The losses of all steps, the largest first, of which the first `large` may be the large one.
struct Losses {
  explicit Losses(const Saddlepoint& saddlepoint) {
    for (std::size_t j = 0; j < saddlepoint.terms(); ++j) {
      const auto [loss, log_mass] = saddlepoint.nodes(j);
      std::vector<double> mass(log_mass.begin(), log_mass.end());
      exponentials(mass);
      const double scale = saddlepoint.count(j) / std::accumulate(mass.begin(), mass.end(), 0.0);
      for (std::size_t i = loss.size(); i > 0; --i) all.push_back({loss[i - 1], scale * mass[i - 1]});
    }
    const auto is_larger = [](const Expected& a, const Expected& b) { return a.loss > b.loss; };
    if (saddlepoint.terms() > 1) std::sort(all.begin(), all.end(), is_larger);
  }

  // Splits the losses at half of epsilon, and tells whether it lies far above what all below that add up to.
  bool is_decided_at(double epsilon) {
    constexpr double deviations = 3;
    large = 0, expected = mean = square = 0;
    for (; large < all.size() && all[large].loss >= epsilon / 2; ++large) expected += all[large].count;
    for (const Expected& small : std::span(all).subspan(large))
      mean += small.count * small.loss, square += small.count * small.loss * small.loss;
    deviation = std::sqrt(square);
    return epsilon > deviations * deviation;
  }
  // Whether two large ones are too rare to matter.
  bool is_one(double delta) const {
    constexpr double most = 30;
    return expected * expected < most * delta;
  }

  double log_delta(double epsilon) const {
    constexpr double farthest = -8, nothing = 38;
    double sum = 1e-300;
    for (const Expected& at : std::span(all).first(large)) {
      const double y = epsilon - at.loss - mean, x = y / deviation;
      if (x > nothing) break;
      sum += at.count * (x < farthest
                             ? -math::expm1(y)
                             : math::exp(-x * x / 2) * (scaled_normal_tail(x) - scaled_normal_tail(x + deviation)));
    }
    return math::log(sum);
  }
  double slope(double epsilon) const {
    const double apart = deviation / 16;
    return (log_delta(epsilon - apart) - log_delta(epsilon + apart)) / (2 * apart);
  }

  std::vector<Expected> all;
  std::size_t large = 0;
  double expected = 0;                         // of the large ones
  double mean = 0, square = 0, deviation = 0;  // of the others
};

}  // namespace

std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most) {
  Losses losses(saddlepoint);
  if (!losses.is_decided_at(epsilon)) return {};
  const double log_delta = losses.log_delta(epsilon);
  if (!(log_delta < log_most) || !losses.is_one(math::exp(log_delta))) return {};
  return LargeLoss{epsilon, log_delta, losses.slope(epsilon)};
}

std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta) {
  constexpr double hardly_moved = 1;
  const double delta = math::exp(log_delta);
  Losses losses(saddlepoint);
  double p = 0, q = 0;
  for (const Expected& at : losses.all) {
    if (!(at.loss > 0 && p - math::exp(at.loss) * q < delta)) break;
    p += at.count, q += at.count * math::exp(-at.loss);
  }
  const double alone = math::log((p - delta) / q), slope = p / delta - 1;
  if (!(alone > 0) || !losses.is_decided_at(alone) || !losses.is_one(delta)) return {};
  if (slope * losses.deviation < hardly_moved)
    return LargeLoss{alone + losses.mean + slope * losses.square / 2, log_delta, slope};
  double low = alone / 2, high = alone + 20 * losses.deviation;
  for (int i = 0; i < 12; ++i) {
    const double middle = (low + high) / 2;
    (losses.log_delta(middle) > log_delta ? low : high) = middle;
  }
  return LargeLoss{low, log_delta, losses.slope(low)};
}

}  // namespace hockeystick
