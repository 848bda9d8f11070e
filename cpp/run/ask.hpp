// SPDX-License-Identifier: Apache-2.0
// The one way in which every question is put to a run, whichever language asks.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "methods/question.hpp"
#include "run/run.hpp"

namespace hockeystick {

/// The questions to a run, each at one number.
enum class View {
  epsilon,        // at delta
  delta,          // at epsilon
  power,          // the largest true positive rate at a false positive rate
  bayes_risk,     // at a prior
  gdp_mu,         // for error rates from a smallest one on
  renyi,          // the divergence of an order
  zcdp,           // rho, up to a largest order
  loss_tail,      // P(loss > epsilon)
  loss_quantile,  // at a level
  loss_variance,  // whatever the number
  tradeoff,       // the least false negative rate at a false positive rate
};

/// Encloses the answer for the worst direction of an adjacency, an index in `adjacencies`, at each point. Mechanisms
/// with pairs above and below their curve are enclosed between both sides; the variance of their loss is not known.
/// Throws std::invalid_argument for points out of range, and NoPair.
std::vector<Answer> ask(const Run& run, View view, std::size_t adjacency, std::span<const double> points,
                        const Limits& limits);

}  // namespace hockeystick
