// SPDX-License-Identifier: Apache-2.0
// The hockey-stick curve of a run at chosen losses, and laws above and below it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "methods/question.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A direction of a run and its reverse, if that is known.
struct BothWays {
  Direction forth;
  std::optional<Direction> back;
};

/// e^x rounded up, or rounded down.
double exp_above(double x);
double exp_below(double x);

/// Encloses delta at each of these losses >= 0; deltas below `smallest` need not be enclosed more closely.
std::vector<Interval> deltas_of(const Direction& run, std::span<const double> losses, double tolerance,
                                double smallest);

/// About where delta falls to the tail, or to a little more than the mass of infinite losses; at most 600 nats.
double reach_of(const Direction& run, double tail);

/// Delta at losses 0 = losses[0] < losses[1] < ...; the last one is 0 if there is a largest loss.
struct KnownDeltas {
  std::vector<double> losses;
  std::vector<Interval> deltas;
};

/// At about 20 `cells` losses, up to where delta is `tail`.
KnownDeltas known_deltas(const Direction& run, double cells, double tail);

/// The curves of both directions; where one is not known, its delta is only known to be at most 1.
struct KnownWays {
  KnownDeltas forth, back;
};
KnownWays known_ways(const BothWays& run, double cells, double tail);

/// A curve from its deltas and those of the reverse. The first function gives upper bounds at powers of e rounded up;
/// the second one gives both bounds at powers rounded down.
EnclosedCurve curve_above(const KnownDeltas& forth, const KnownDeltas& back);
EnclosedCurve curve_between(const KnownDeltas& forth, const KnownDeltas& back);

/// A law above the run; or a law below it, where both directions are bounds of one pair.
AtomicLaw run_law(const BothWays& run, double cells, double tail, bool above);

}  // namespace hockeystick
