// SPDX-License-Identifier: Apache-2.0
// The mu of Gaussian differential privacy: of a composition, and of one distribution.
//
// Let T_mu be the power of the Gaussian pair, concave and rising in mu; mu suffices at (x, T) iff
// mu >= z(x) - z(T). The smallest mu is sought with T_mu(x) >= power(x) wherever r <= x <= 1 - power(x): tests with
// fewer missed than false positives are the reversed direction's. Above: the power lies under the lines
// h(alpha) + alpha x, each used on its part of the axis; T_mu lies above a line on an interval if it does at both
// ends, so that nothing is lost between the finitely many ends looked at. Below: any x will do.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// For each rate r in [1e-20, 0.5): encloses the smallest mu >= 0 such that no test of which both error rates are
/// at least r beats N(mu, 1) against N(0, 1). The directions must come with their reverses.
std::vector<Answer> gdp_bounds(std::span<const Direction> directions, std::span<const double> smallest_rates,
                               const Limits& limits);

/// What one distribution says, of its side, about the smallest mu for tests of which both error rates are at
/// least `smallest_rate` and, if it is an upper one, whose false positive rate is the smaller.
double gdp_mu(const LossPmf& pmf, double smallest_rate);

}  // namespace hockeystick
