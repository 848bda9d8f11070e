// SPDX-License-Identifier: Apache-2.0
#include "run/chained_moments.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numeric/outward.hpp"
#include "numeric/range.hpp"
#include "numeric/rounding.hpp"
#include "views/renyi.hpp"

namespace hockeystick {
namespace {

constexpr std::size_t memory_limit = std::size_t{1} << 30;
constexpr double block =
    8;  // one over the share by which orders of a block differ: a chord costs up to 1 / (8 block^2)

// The least index of each block of orders first, first + 1, ..., first + records - 1, and the largest index.
std::vector<double> block_ends(double first, double records) {
  std::vector<double> ends{0};
  while (ends.back() < records - 1)
    ends.push_back(std::min(records - 1, ends.back() + std::max(1.0, std::floor((first + ends.back()) / block))));
  return ends;
}

}  // namespace

ChainedMoments::ChainedMoments(Direction one, std::int64_t records, std::shared_ptr<const DominatingPair> other)
    : one_(std::move(one)), records_(records), other_(std::move(other)) {
  checked("size", static_cast<double>(records), {1, 1000});
}

Interval ChainedMoments::infinity_mass() const {
  const bool has_none =
      std::all_of(one_.begin(), one_.end(), [](const Term& term) { return !(term.pair->infinity_mass().upper > 0); });
  return {0, has_none ? 0 : other_ ? other_->infinity_mass().upper : 1};
}

// log E e^((o - 1) L) of one record, rounded up, for growing orders o.
std::vector<double> ChainedMoments::log_moments_of_one(std::span<const double> orders) const {
  const std::vector<Answer> found = renyi_bounds_of_any_order({&one_, 1}, orders, {1e-4, memory_limit});
  std::vector<double> moments;
  for (std::size_t i = 0; i < orders.size(); ++i) moments.push_back(up(up(orders[i] - 1) * found[i].upper));
  return moments;
}

// The sum of w_j M(o_j), o_j = k t + j for j = 1, ..., k, w_j = (1 + t) k t / ((o_j - 1) o_j), M the log moment of one
// record, which is convex: at most its chord within a block.
double ChainedMoments::log_moment_of_chain(double t) const {
  const auto k = static_cast<double>(records_);
  const std::vector<double> ends = block_ends(k * t + 1, k);
  std::vector<double> orders;
  for (const double end : ends)
    orders.push_back(outward::sum(outward::product(k, t, true), 1 + end, true));  // proof: chained-moments
  const std::vector<double> moments = log_moments_of_one(orders);
  if (!(moments.back() < infinity)) return infinity;
  double sum = 0;
  for (std::size_t b = 0; b < ends.size(); ++b) {
    const double from = ends[b], width = b + 1 < ends.size() ? ends[b + 1] - from : 1;
    for (double i = 0; i < width; ++i) {
      const double chord = i == 0 ? moments[b] : (moments[b] * (width - i) + moments[b + 1] * i) / width;
      sum += (1 + t) * k * t / ((k * t + (from + i)) * (k * t + (from + i + 1))) * chord;
    }
  }
  return sum * (1 + (k + 32) * u);  // proof: chained-moments
}

Interval ChainedMoments::log_moment_bounds(double t) const {
  double upper = other_ ? other_->log_moment_bounds(t).upper : infinity, largest = 0;
  for (const Term& term : one_) {
    const bool is_finite = term.pair->loss_supremum() < infinity;
    largest =
        up(largest + up(static_cast<double>(term.count) * (is_finite ? term.pair->finite_loss_bound() : infinity)));
  }
  upper = std::min(upper, up(t * up(static_cast<double>(records_) * largest)));  // proof: chained-moments
  return {0, std::min(upper, log_moment_of_chain(t))};
}

double ChainedMoments::renyi_slope_bound(double order) const {
  const auto k = static_cast<double>(records_);
  const double chained = up(k * k * slopes_beyond(one_, order).upper);  // proof: chained-moments
  return other_ ? std::min(chained, other_->renyi_slope_bound(order)) : chained;
}

}  // namespace hockeystick
