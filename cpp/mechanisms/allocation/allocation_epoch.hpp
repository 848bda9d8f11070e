// SPDX-License-Identifier: Apache-2.0
// Epsilon and delta of one epoch of a random allocation, from contours near the answer alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mechanisms/allocation/allocation_curve.hpp"
#include "mechanisms/allocation/lognormal_contour.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// One direction of the pair of allocation_curve.hpp. Where a record is removed, K = t + x = t e^epsilon and delta is
/// call(K) / t = put(K) / t - x / t; where it is added, K = t - x = t e^-epsilon and delta is put(K) / K.
class AllocationEpoch {
 public:
  AllocationEpoch(const Allocation& allocation, const LognormalTransform& transform, bool adds);

  /// Of a relative width of `tolerance`, if that can be had.
  Interval delta(double epsilon, double tolerance);
  Interval epsilon(double delta, double tolerance);

 private:
  AllocationEpoch(const AllocationEpoch& other, bool adds) : AllocationEpoch(other) { adds_ = adds; }
  void look(double low, double high, double accuracy);
  Interval at(double x) const;
  double distance(double epsilon) const;
  Interval epsilon_at(double x) const;
  double guessed_delta(double epsilon) const;
  double guessed_epsilon(double delta) const;
  double guessed_by_saddle(double delta) const;
  Interval near(double epsilon, double delta) const;

  LognormalSum sum_;
  double t_, spread_, slack_;
  bool adds_;
  double from_ = 0, to_ = 0;  // of x
  std::optional<LognormalContour> contour_;
};

/// What to ask of one epoch of a Gaussian mechanism that a record joins in 1 of `steps` steps, the same in all of
/// `epochs`: of the worst of the directions, epsilon at each delta or delta at each epsilon.
struct AllocationQuestion {
  double noise_multiplier, steps, epochs;
  bool removes, adds, wants_epsilon;
  double tolerance;
};
std::vector<Interval> allocation_bounds(const AllocationQuestion& asked, std::span<const double> values);

}  // namespace hockeystick
