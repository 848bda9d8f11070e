// SPDX-License-Identifier: Apache-2.0
// Quantiles of the loss from deltas: the tail P(L > t) lies between the slopes of chords of the curve on either side of
// t, so that three deltas about a quantile enclose it.
#pragma once

#include <span>
#include <vector>

#include "numeric/interval.hpp"
#include "pld/hockey_stick.hpp"
#include "views/curve_points.hpp"

namespace hockeystick {

/// Bounds of P(L > loss) at points of a curve.
using TailsAt = std::vector<Interval>;

/// A guess of the tail at a loss.
struct Slope {
  double loss, tail;
};

/// A curve known at points, and the same from above.
struct KnownCurve {
  std::span<const CurvePoint> points;
  CurveKinks kinks;
  bool closes;
  explicit KnownCurve(const CurvePoints& curve);
  /// Encloses P(L > loss) at point k; where the curve does not belong to one pair, for all pairs that the guarantee
  /// allows.
  Interval tail(std::size_t k) const;
  TailsAt tails() const;
  /// The middle of this interval, at the loss of a point; its lower end where no point before bounds the tail.
  Slope slope_at(const TailsAt& tails, double loss) const;
  /// Encloses the smallest t with P(L > t) at most a number between `least` and `most`: P(L > t) is certainly too large
  /// at the lower end, and at most `least` at the upper one.
  Interval quantile(const TailsAt& tails, double least, double most) const;
};

/// A guess of the t with P(L > t) = tail: `about`, or, if `about` lies outside, the ends that two or three epsilons
/// give. `deviation`: of the loss.
Interval likely_quantile(const Direction& direction, double tail, double about, double deviation,
                         std::size_t memory_limit);

/// A t with P(L > t) = tail; `about` is a guess of t, or of two ends.
struct SoughtQuantile {
  Interval tail, about;
  double tolerance;
};

struct FoundQuantile {
  Interval bounds;
  bool is_close;
};

/// Asks the curve near losses until each is enclosed closely, or no answer becomes narrower: within the tolerance times
/// `deviation`, that of the loss, or, where this takes much work, within the tolerance times the distance over which
/// the tail is about to fall by a factor of e. This distance is longer than a deviation where rare outcomes lose much.
std::vector<FoundQuantile> quantiles_by_deltas(CurvePoints& curve, double deviation,
                                               std::span<const SoughtQuantile> sought);

}  // namespace hockeystick
