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

/// lower[k] <= h(alpha[k]) <= upper[k] at 0 < alpha[0] < alpha[1] < ...; at least two points. Functions that read upper
/// values alone also take a curve without lower values.
struct EnclosedCurve {
  std::vector<double> alpha, lower, upper;
};

/// Throws std::invalid_argument unless the points increase, up to 1e280, and some curve may lie between the values. A
/// value that excludes every curve by rounding alone is moved.
void check_curve(EnclosedCurve& curve);

/// The law of the lower convex hull of (0, 1) and (alpha, upper), continued by its last value. It lies above h: h is
/// convex and below all points, hence below the largest convex function below them, and below its own chords.
AtomicLaw law_above(const EnclosedCurve& curve);

/// A law whose curve lies below h, with kinks at the points. Between two points h lies above the
/// continued chords of both gaps beside them, and so above a line of any slope below their maximum.
AtomicLaw law_below(const EnclosedCurve& curve);

/// Points at increasing alpha > 0: h lies above the chord in each gap.
struct ChordPoints {
  std::vector<double> alpha, value;
};

/// The chords of `law_below`.
ChordPoints chords_below(const EnclosedCurve& curve);

/// The points of `near`, followed by those of `far` from the loss on at which `far` is higher.
ChordPoints spliced(ChordPoints near, const ChordPoints& far);

/// Whole multiples of `spacing` in the loss. Places are left out where the curve falls to the next by less than a
/// normal tail does in `apart` deviations.
struct Lattice {
  double spacing, apart = 0;
};

/// Points on a lattice, next to those of the curve, so that pairs of one spacing compose on one grid. The first
/// function takes the upper values of the chords at these places; the second one takes chords that lie below the given
/// ones, and below `floor` beyond them.
EnclosedCurve upper_on_lattice(const EnclosedCurve& curve, const Lattice& lattice);
ChordPoints chords_on_lattice(const ChordPoints& chords, const Lattice& lattice, double floor);

/// The curve of the reverse, alpha h(1 / alpha) + 1 - alpha.
EnclosedCurve reversed(const EnclosedCurve& curve);

/// The points and upper values of two curves: a curve that lies below both lies below all of these.
EnclosedCurve least_of(const EnclosedCurve& one, const EnclosedCurve& other);

/// The whole curve, from its part at alpha >= 1 and from that part of the reverse's curve.
EnclosedCurve whole_curve(const EnclosedCurve& forth, const EnclosedCurve& back);

/// A law whose curve lies below h, if h is at least `floor` and in every gap above a line through at most `value` at
/// both ends. At least one increasing alpha > 0.
AtomicLaw law_below_chords(std::span<const double> alpha, std::span<const double> value, double floor);

}  // namespace hockeystick
