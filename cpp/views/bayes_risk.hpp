// SPDX-License-Identifier: Apache-2.0
// Bayes risk: the smallest error probability of a test that knows the prior probability of each neighbouring dataset.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Encloses, at each prior in (0, 1) of the dataset that the test calls positive, the smallest prior * FNR + (1 -
/// prior) * FPR of any test, for the worst direction. `reverses`: the directions of (Q, P), which answer for priors
/// above 1/2; empty if `directions` contains the reverse of each of its members. The width is at most tolerance times
/// the risk plus rounding; a risk below 1e-6 times the smaller of prior and 1 - prior counts as that.
std::vector<Answer> bayes_risk_bounds(std::span<const Direction> directions, std::span<const Direction> reverses,
                                      std::span<const double> priors, const Limits& limits);

/// The Bayes risk at each prior. An upper bound of delta gives a lower bound of the risk, and a lower one an upper one.
void bayes_risks(const LossPmf& pmf, const LossPmf& reverse, std::span<const double> priors, std::span<double> risks);

/// log((1 - prior) / prior) >= 0 for a prior of at most 1/2, within a few roundings.
double log_odds(double prior);

/// prior (1 - delta), where delta is bounded from `side` at the log odds of a prior of at most 1/2.
double bayes_risk(double prior, double delta, Side side);

}  // namespace hockeystick
