// SPDX-License-Identifier: Apache-2.0
// The smallest error probability of a test that knows how likely each of the neighbouring datasets is.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Encloses, at each prior in (0, 1) of the dataset that the test calls positive, the smallest prior * FNR +
/// (1 - prior) * FPR of any test, for the worst direction. `reverses`: the directions of (Q, P), which answer for
/// priors above 1/2; empty if `directions` contains the reverse of each of its members. The width is at most tolerance
/// times the risk, but for rounding; risks below 1e-6 times the smaller of prior and 1 - prior count as that.
std::vector<Answer> bayes_risk_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                      std::span<const double> priors, const Limits& limits);

/// The Bayes risk at each prior, bounded from the other side than that which the distribution of (P, Q) and that of
/// (Q, P) bound delta from.
void bayes_risks(const LossPmf& pmf, const LossPmf& reverse, std::span<const double> priors, std::span<double> risks);

/// log((1 - prior) / prior) >= 0 of a prior of at most 1/2, to a few roundings.
double log_odds(double prior);

/// prior (1 - delta), delta that at the log odds of a prior of at most 1/2; `side`: that from which delta is bounded.
double bayes_risk(double prior, double delta, Side side);

}  // namespace hockeystick
