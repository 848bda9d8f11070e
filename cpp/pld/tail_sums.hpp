// SPDX-License-Identifier: Apache-2.0
// Running sums of a tilted distribution from the top of its grid down, of which its hockey-stick curve is made.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

namespace hockeystick {

/// The weights of 64 points in the sums below, so that four dot products add a block.
class SuffixBlock {
 public:
  static constexpr std::size_t points = 64;

  SuffixBlock(double tilt, double interval);

  /// Whether the weights are in range and accurate enough; if not, points must be added one by one.
  static bool usable(double tilt, double interval) {
    return interval <= 1 && static_cast<double>(points) * (1 + std::fabs(tilt)) * interval <= 600;
  }

 private:
  friend class Suffix;
  // For point j: sigma^j rho^j, rho^j (1 - sigma^j), and j times these; for the sums beyond the block.
  alignas(32) double weights_[4][points];
  double rho_, rho_sigma_, fall_;  // rho^points, (rho sigma)^points, 1 - sigma^points
};

/// Sums over the points of a grid from k up, k going down, scaled to loss_k:
///     steps = sum_(j>=k) c_j rho^(j-k) sigma^(j-k),
///     curve = sum_(j>=k) c_j rho^(j-k) (1 - sigma^(j-k)),    rho = e^(-tilt d), sigma = e^-d,
/// so that at loss_k - y, 0 <= y <= d, the tilted hockey-stick sum is
///     e^(-tilt y) (curve + (1 - e^-y) steps).
/// Both recurrences add terms of one sign (except for transform errors): nothing cancels.
class Suffix {
 public:
  Suffix(std::span<const double> mass, double tilt, double interval)
      : mass_(mass),
        error_a_point_((12 + 3 * std::fabs(tilt) * interval) * unit_roundoff),
        rho_(math::exp(-tilt * interval)),
        rho_sigma_(math::exp(-(1 + tilt) * interval)),
        rise_(-math::expm1(-interval)),
        next_(mass.size()) {}  // proof: tail-sums

  /// Index of the lowest point included; mass.size() if none is.
  std::size_t lowest() const { return next_; }

  void extend() { extend_by(mass_[--next_]); }

  /// Adds `SuffixBlock::points` points at once; at least this number must be left.
  void extend_by(const SuffixBlock& block);

  /// Moves one point down below the first point, where there is no mass.
  void extend_below() { extend_by(0); }

  double curve() const { return curve_; }
  double steps() const { return steps_; }
  double rho() const { return rho_; }

  /// Relative error of a term for each point that it has passed: the factors are off by at most (8 + 2 |tilt| d) u
  /// (proved: exp 4 u, argument 2 roundings). Adding blocks is at most as inaccurate (tail_sums.cpp).
  double error_a_point() const { return error_a_point_; }

  /// The sum of the terms, each times one more than the number of points that it has passed.
  double curve_distance() const { return std::fabs(curve_distance_) + std::fabs(curve_); }
  double steps_distance() const { return std::fabs(steps_distance_) + std::fabs(steps_); }

 private:
  void extend_by(double mass) {
    curve_distance_ = rho_ * (curve_distance_ + curve_ + rise_ * (steps_distance_ + steps_));
    steps_distance_ = rho_sigma_ * (steps_distance_ + steps_);
    curve_ = rho_ * (curve_ + rise_ * steps_);
    steps_ = mass + rho_sigma_ * steps_;
  }

  std::span<const double> mass_;
  double error_a_point_;
  double rho_, rho_sigma_, rise_;
  double curve_ = 0, steps_ = 0;
  double curve_distance_ = 0, steps_distance_ = 0;
  std::size_t next_;
};

}  // namespace hockeystick
