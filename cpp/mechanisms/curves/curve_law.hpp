// SPDX-License-Identifier: Apache-2.0
// Pairs of distributions above and below a hockey-stick curve that is enclosed at points.
//
// Let h(alpha) = sup_S P(S) - alpha Q(S) be the curve of some pair. It is convex and does not increase, h(0) = 1 and
// h(alpha) >= 1 - alpha. Every function with these properties is the curve of exactly one pair: Q has the mass of its
// changes of slope, P = alpha Q there, and the limit at +inf is the P-mass of an infinite loss. Compositions are
// monotone in the curve, so a pair above (below) bounds every composition from above (below).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mechanisms/discrete/atomic_pair.hpp"

namespace hockeystick {

/// lower[k] <= h(alpha[k]) <= upper[k] at 0 < alpha[0] < alpha[1] < ...; at least two points. What asks for upper
/// values alone takes a curve without lower ones, too.
struct EnclosedCurve {
  std::vector<double> alpha, lower, upper;
};

/// Throws std::invalid_argument unless the points increase, up to 1e280, and some curve may lie between. What excludes
/// one by rounding is moved.
void check_curve(EnclosedCurve& curve);

/// The law of the lower convex hull of (0, 1) and (alpha, upper), continued by its last value. It lies above h: h is
/// convex and below all points, hence below the largest convex function below them, and below its own chords.
AtomicLaw law_above(const EnclosedCurve& curve);

/// A law whose curve lies below h, with kinks at the points. Between two of them h is above a line: of any slope, and
/// as high as the chords of the gaps beside it, continued into this one, allow.
AtomicLaw law_below(const EnclosedCurve& curve);

/// Points at increasing alpha > 0: h lies above the chord in each gap.
struct ChordPoints {
  std::vector<double> alpha, value;
};

/// The chords of `law_below`.
ChordPoints chords_below(const EnclosedCurve& curve);

/// Those of `near`, and those of `far` from where they are higher on.
ChordPoints spliced(ChordPoints near, const ChordPoints& far);

/// Points at whole multiples of `spacing` in the loss, next to those of the curve, so that pairs of the same spacing
/// compose on one grid: the upper values of the chords there, or chords that lie below those given, and below `floor`
/// beyond them.
EnclosedCurve upper_on_lattice(const EnclosedCurve& curve, double spacing);
ChordPoints chords_on_lattice(const ChordPoints& chords, double spacing, double floor);

/// The curve of the reverse, alpha h(1 / alpha) + 1 - alpha.
EnclosedCurve reversed(const EnclosedCurve& curve);

/// The upper values of both: a curve below both lies below them.
EnclosedCurve least_of(const EnclosedCurve& one, const EnclosedCurve& other);

/// The curve of which one part, and one of its reverse, are given from alpha = 1 on.
EnclosedCurve whole_curve(const EnclosedCurve& forth, const EnclosedCurve& back);

/// A law whose curve lies below h, if h is at least `floor` and in every gap above a line through at most `value` at
/// both ends. At least one increasing alpha > 0.
AtomicLaw law_below_chords(std::span<const double> alpha, std::span<const double> value, double floor);

}  // namespace hockeystick
