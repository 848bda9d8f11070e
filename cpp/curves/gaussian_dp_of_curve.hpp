// SPDX-License-Identifier: Apache-2.0
// The mu of Gaussian differential privacy that a curve needs.
//
// Let T_mu be the power of the Gaussian pair, concave and rising in mu; mu suffices at (x, T) iff
// mu >= z(x) - z(T). The smallest mu is sought with T_mu(x) >= power(x) wherever r <= x <= 1 - power(x): tests with
// fewer missed than false positives are the reversed direction's. Above: the power lies under the lines
// h(alpha) + alpha x, each used on its part of the axis; T_mu lies above a line on an interval if it does at both
// ends, so that nothing is lost between the finitely many ends looked at. Below: any x will do.
#pragma once

#include "pld/tradeoff.hpp"

namespace hockeystick {

/// An upper bound of the mu needed, and where on the axis.
struct NeededMu {
  double mu = 0, fpr = 0.5;

  /// power(x) <= bound is all that is known; only tests with power(x) <= 1 - x count.
  void take(double x, double bound);
};

/// For all false positive rates in [from, to], from an upper curve. The lines are those between the best one at
/// either end, so many that they cost no more than the tolerance.
NeededMu mu_needed(const CurveKinks& upper, double from, double to, double tolerance);

/// A lower bound from the power at one rate, from a lower curve; `above` as in power_below. A test that misses fewer
/// than `smallest_rate` is taken to miss as many.
double mu_needed_at(const CurveKinks& lower, double fpr, const PowerBound& above, double smallest_rate);

/// What one distribution says, of its side, about the smallest mu for tests of which both error rates are at
/// least `smallest_rate` and, if it is an upper one, whose false positive rate is the smaller.
double gdp_mu(const LossPmf& pmf, double smallest_rate);

}  // namespace hockeystick
