// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "numeric/rounding.hpp"

namespace hockeystick {

/// What 64 points at a time weigh in the sums below, so that most are passed by four dot products a block.
class SuffixBlock {
 public:
  static constexpr std::size_t points = 64;

  SuffixBlock(double tilt, double interval);

  /// Whether the weights are in range and as near as they must be; else points must be passed one by one.
  static bool usable(double tilt, double interval) {
    return interval <= 1 && static_cast<double>(points) * (1 + std::fabs(tilt)) * interval <= 600;
  }

 private:
  friend class Suffix;
  // Of point j: sigma^j rho^j, rho^j (1 - sigma^j), and j times these; of what lies beyond the block.
  alignas(32) double weights_[4][points];
  double rho_, rho_sigma_, fall_;  // rho^points, (rho sigma)^points, 1 - sigma^points
};

/// Sums over the points of a grid from k up, k going down, scaled to loss_k:
///     steps = sum_(j>=k) c_j rho^(j-k) sigma^(j-k),
///     curve = sum_(j>=k) c_j rho^(j-k) (1 - sigma^(j-k)),    rho = e^(-tilt d), sigma = e^-d,
/// so that at loss_k - y, 0 <= y <= d, the tilted hockey-stick sum is
///     e^(-tilt y) (curve + (1 - e^-y) steps).
/// Both recurrences add terms of one sign (but for transform errors): nothing cancels.
class Suffix {
 public:
  Suffix(std::span<const double> mass, double tilt, double interval)
      : mass_(mass),
        error_a_point_((12 + 3 * std::fabs(tilt) * interval) * unit_roundoff),
        rho_(std::exp(-tilt * interval)),
        rho_sigma_(std::exp(-(1 + tilt) * interval)),
        rise_(-std::expm1(-interval)),
        next_(mass.size()) {}  // proof: tail-sums

  /// Index of the lowest point included; mass.size() if none is.
  std::size_t lowest() const { return next_; }

  void extend() { extend_by(mass_[--next_]); }

  /// `SuffixBlock::points` points at once; as many must be left.
  void extend_by(const SuffixBlock& block);

  /// One point down below the first, where there is no mass.
  void extend_below() { extend_by(0); }

  double curve() const { return curve_; }
  double steps() const { return steps_; }
  double rho() const { return rho_; }

  /// What a term is wrong by, relatively, for each point it has passed: the factors are wrong by at
  /// most (8 + 2 |tilt| d) u (proved: libm 4 u, argument 2 roundings). Passed by blocks, a term is wrong by no more
  /// (suffix.cpp).
  double error_a_point() const { return error_a_point_; }

  /// The terms' sums, each times the points it has passed, and one more.
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
