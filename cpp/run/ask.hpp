// SPDX-License-Identifier: Apache-2.0
// The one way in which every question is put to a run, whichever language asks.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "methods/question.hpp"
#include "run/run.hpp"

namespace hockeystick {

/// What may be asked of a run, at one number each.
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

/// Encloses the answer for the worst direction of an adjacency, an index in `adjacencies`, at each point. Of mechanisms
/// known by pairs above and below their curve, sides of both enclose it; their privacy loss itself is not known. Throws
/// std::invalid_argument for points out of range, and NoPair.
std::vector<Answer> ask(const Run& run, View view, std::size_t adjacency, std::span<const double> points,
                        const Limits& limits);

}  // namespace hockeystick
