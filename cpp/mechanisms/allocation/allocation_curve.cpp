// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/allocation/allocation_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "mechanisms/allocation/lognormal_contour.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/fork_safe_mutex.hpp"

namespace hockeystick {
Allocation checked_allocation(double noise_multiplier, double steps, double epochs) {
  checked(allocated_steps.name, steps, allocated_steps.range);
  checked(allocated_epochs.name, epochs, allocated_epochs.range);
  const double mu = std::sqrt(epochs) / noise_multiplier;
  if (!(mu >= 1e-3 * (1 - 1e-15) && mu <= 5 * (1 + 1e-15)))
    throw std::invalid_argument("sqrt(epochs) / noise must be in [0.001, 5]");
  return {mu, steps};
}

namespace {

// Deviations of the loss up to which intervals are even. Further out, where the upper tail may be long, they are
// multiples that grow with the loss: all kinks of a law lie on one lattice, which composes without a loss.
constexpr double even_spreads = 3;

// One side of the curve from alpha = 1 on, outwards.
class Walk {
 public:
  Walk(const Allocation& allocation, const LognormalTransform& transform, double fine, double tail, bool up)
      : sum_(transform, {{1, allocation.steps}}),
        t_(allocation.steps),
        spread_(std::sqrt(transform.variance() / t_)),
        slack_(2 * u * allocation.mu),  // proof: parameter-rounding
        fine_(fine),
        tail_(tail),
        up_(up) {}

  EnclosedCurve run() {
    const double accuracy = std::max(tail_ / 64, 1e-16), even = even_spreads * spread_;
    std::int64_t k = up_ ? 0 : -1, step = up_ ? 1 : -1;  // the loss, and to the next, in units of `fine`
    double from = 0;
    for (;;) {
      // K - t doubles from block to block, and below t / 2 K halves.
      const double doubled = std::max(2 * std::fabs(from), spread_);
      const double next = up_ ? doubled : from > -0.5 ? -std::min(doubled, 0.5) : (from - 1) / 2;
      const double low = t_ * std::min(from, next), high = t_ * std::max(from, next);
      const LognormalContour contour(sum_, Kind::put, low, high, accuracy * t_, 4);
      const double to = up_ ? contour.to() / t_ * (1 - 4 * u) : next;
      for (;; k += step) {
        // Groups of as many equal steps end on whole intervals.
        if (up_ && curve_.alpha.size() % allocation_stride == 0)
          step = std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(k) * fine_ / even));
        const double alpha = math::exp(fine_ * static_cast<double>(k)), d = alpha - 1;
        if (up_ ? d > to : d < to) break;
        const auto [least, most] = contour.at(t_ * d);
        // t d is off by 2 u of itself, where the curve falls from the point before to 0 at most; below 1, differences
        // too.
        double steepest = 1;
        if (up_ && !curve_.alpha.empty())
          steepest = std::min(1.0, curve_.upper.back() / (alpha - curve_.alpha.back()) * (1 + 1e-9));
        // proof: lognormal-series
        const double margin = slack_ + (up_ ? 4 * u * d * steepest : 8 * u * (-d + 1e-4)), line = std::max(0.0, -d);
        curve_.alpha.push_back(alpha);
        curve_.lower.push_back(std::max(down(least / t_) + line - margin, line));
        curve_.upper.push_back(std::min(1.0, up(most / t_) + line + margin));
        const bool is_small = most < std::max(tail_ * t_, 2 * (most - least));
        const bool is_whole = curve_.alpha.size() % allocation_stride == (up_ ? 1 : 0);
        if ((is_small && is_whole) || curve_.alpha.size() > (1 << 22)) return curve_;
      }
      from = to;
    }
  }

 private:
  LognormalSum sum_;
  double t_, spread_, slack_, fine_, tail_;
  bool up_;
  EnclosedCurve curve_;
};

// The curves asked for last: each serves both directions, and selected steps ask for those of two numbers of steps.
struct Kept {
  std::array<double, 4> key{};
  std::shared_ptr<const EnclosedCurve> curve;
};
ForkSafeMutex& guard = *new ForkSafeMutex;
std::array<Kept, 2>& kept = *new std::array<Kept, 2>;

// The deviation of the loss.
double spread_of(const Allocation& allocation) {
  return std::sqrt(math::log1p(math::expm1(allocation.mu * allocation.mu) / allocation.steps));
}

}  // namespace

bool has_series(const Allocation& allocation) {
  constexpr double widest = 0.45;
  return Range{1e-3, 5}.holds(allocation.mu) && spread_of(allocation) <= widest;
}

double allocation_interval(const Allocation& allocation, double cells) {
  return std::min(spread_of(allocation), 1.0) / cells;
}

std::shared_ptr<const EnclosedCurve> kept_allocation_curve(const Allocation& allocation, double cells, double tail) {
  const std::array<double, 4> key{allocation.mu, allocation.steps, cells, tail};
  {
    const std::lock_guard lock(guard);
    for (const Kept& each : kept)
      if (each.curve && each.key == key) return each.curve;
  }
  const auto curve =
      std::make_shared<const EnclosedCurve>(allocation_curve(allocation, allocation_interval(allocation, cells), tail));
  const std::lock_guard lock(guard);
  kept[1] = std::exchange(kept[0], {key, curve});
  return curve;
}

EnclosedCurve allocation_curve(const Allocation& allocation, double interval, double tail) {
  const LognormalTransform transform(allocation.mu);
  const double fine = interval / static_cast<double>(allocation_stride);
  EnclosedCurve curve = Walk(allocation, transform, fine, tail, false).run();
  const EnclosedCurve above = Walk(allocation, transform, fine, tail, true).run();
  for (const auto part : {&EnclosedCurve::alpha, &EnclosedCurve::lower, &EnclosedCurve::upper}) {
    std::reverse((curve.*part).begin(), (curve.*part).end());
    (curve.*part).insert((curve.*part).end(), (above.*part).begin(), (above.*part).end());
  }
  return curve;
}

}  // namespace hockeystick
