// SPDX-License-Identifier: Apache-2.0
#include "methods/middle_losses.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/simd/vector_math.hpp"

namespace hockeystick {
namespace {

constexpr double largest_exponent = 700, tiny = 1e-300;

}  // namespace

MiddleLosses::MiddleLosses(const PairCells& parts, std::span<const double> edges, const Interval& outside)
    : edges_(edges.begin(), edges.end()), mass_error_(parts.mass_error), outside_(outside) {
  const std::size_t count = edges.size() - 1;
  std::vector<double> growth(count);
  centres_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    growth[i] = edges[i + 1] - edges[i];
    centres_[i] = parts.cells[i].p > 0 ? parts.cells[i].below / parts.cells[i].p : 0.0;
  }
  exponentials_less_1(growth);
  logarithms_of_1_plus(centres_);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [p, above, below] = parts.cells[i];
    const double weight = below + (1 + growth[i]) * above;  // = growth p
    centres_[i] = std::clamp(edges[i + 1] - centres_[i], edges[i], edges[i + 1]);
    // proof: middle-losses
    const double location = parts.loss_error + (parts.share_error * 3 + parts.mass_error + 16 * u) * growth[i] +
                            3 * parts.share_error_p + 8 * u * std::max(std::fabs(edges[i]), std::fabs(edges[i + 1]));
    cells_.push_back({p, weight > 0 ? below / weight : 0.0, 2 * p * location});
  }
}

Interval MiddleLosses::log_moment(double tilt, bool above_alone) const {
  if (std::max(tilt * edges_.front(), tilt * edges_.back()) > largest_exponent) return {-infinity, infinity};
  const auto less_1 = [&](std::vector<double> losses) {
    for (double& at : losses) at *= tilt;
    exponentials_less_1(losses);
    return losses;
  };
  const std::vector<double> ends = less_1(edges_), middles = above_alone ? ends : less_1(centres_);
  double high = 0, low = 0, size = 0, error = 0;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const auto& [p, share, location] = cells_[i];
    high += p * (share * ends[i] + (1 - share) * ends[i + 1]);
    low += p * middles[i];
    size += p * std::max(std::fabs(ends[i]), std::fabs(ends[i + 1]));
    error += location * (1 + std::max(ends[i], ends[i + 1]));
  }
  const double roundings = 128 + static_cast<double>(cells_.size());
  // proof: middle-losses
  const double slack = (error * std::fabs(tilt) + size * (mass_error_ + roundings * u)) * (1 + 1e-9) + tiny;
  const double most = (high + slack) - outside_.lower;  // proof: middle-losses
  const double least = (low - slack) - outside_.upper;  // proof: middle-losses
  const double off = 4 * u * (size + outside_.upper);   // of these differences
  const double above = most + off > -1 ? math::log1p(most + off) : -infinity;
  const double below = least - off > -1 && !above_alone ? math::log1p(least - off) : -infinity;
  return {below * (1 + (below > 0 ? -8 : 8) * u) - tiny, above * (1 + (above > 0 ? 8 : -8) * u) + tiny};
}

double ChernoffTable::at(double s) const {
  double least = infinity;
  for (const auto& [tilt, log_moment] : rows_)
    least = std::min(least, log_moment - tilt * s + 8 * u * (std::fabs(log_moment) + std::fabs(tilt * s)));
  return math::exp(least) * (1 + 8 * u) + tiny;  // proof: middle-losses
}

}  // namespace hockeystick
