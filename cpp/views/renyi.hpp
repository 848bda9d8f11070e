// SPDX-License-Identifier: Apache-2.0
// Renyi divergences, the variance of the loss and zCDP: moments add up over the steps, so that one-step integrals
// answer for any number of steps.
#pragma once

#include <span>
#include <vector>

#include "methods/question.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// Encloses the Renyi divergence of P from Q at each order >= 1 (at order 1 the mean of L under P), the largest over
/// the directions; relative width, inf where P(L = inf) > 0.
std::vector<Answer> renyi_bounds(std::span<const Direction> directions, std::span<const double> orders,
                                 const Limits& limits);

/// The same at orders of any size, for which moments of mechanisms that are made from runs are asked.
std::vector<Answer> renyi_bounds_of_any_order(std::span<const Direction> directions, std::span<const double> orders,
                                              const Limits& limits);

/// Bounds D_a / a by the pairs alone: from above over all orders a >= `order`, and its limit for large a from below.
Interval slopes_beyond(const Direction& direction, double order);

/// Encloses the variance of L under P, the largest over the directions; one answer.
std::vector<Answer> loss_variance_bounds(std::span<const Direction> directions, std::span<const double> unused,
                                         const Limits& limits);

/// Encloses the smallest rho with D_a <= rho a for all orders 1 < a <= largest, the largest over the directions.
std::vector<Answer> zcdp_bounds(std::span<const Direction> directions, std::span<const double> largest_orders,
                                const Limits& limits);

}  // namespace hockeystick
