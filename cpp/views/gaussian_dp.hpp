// SPDX-License-Identifier: Apache-2.0
// The mu of Gaussian differential privacy, of a composition and of one distribution.
//
// Let T_mu be the power of the Gaussian pair, concave in its argument and increasing in mu; mu suffices at (x, T) iff
// mu >= z(x) - z(T). We seek the smallest mu with T_mu(x) >= power(x) wherever r <= x <= 1 - power(x): tests with fewer
// false negatives than false positives belong to the reversed direction. Upper bound: the power lies under the lines
// h(alpha) + alpha x, each used on its part of the axis. T_mu lies above a line on an interval if it does at both ends,
// so looking at the finitely many ends loses nothing. Lower bound: any x gives one, and so does h at any alpha that is
// attained at such an x: the Gaussian's curve is no lower there.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// For each rate r in [1e-20, 0.5): encloses the smallest mu >= 0 such that no test whose error rates are both at least
/// r beats N(mu, 1) against N(0, 1). `directions` must contain the reverse of each of its members; `reverses` are
/// these, in that order, or empty.
std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                               std::span<const double> smallest_rates, const Limits& limits);

/// Bound, of the distribution's side, of the smallest mu for tests whose error rates are both at least `smallest_rate`
/// and, for an upper one, whose false positive rate is the smaller.
double gdp_mu(const LossPmf& pmf, double smallest_rate);

}  // namespace hockeystick
