// SPDX-License-Identifier: Apache-2.0
// The output of the last batch of a shuffled epoch that uses every record, cut into cells.
//
// With p = e^(mu g - mu^2 / 2), q = e^(-mu g - mu^2 / 2) and g normal, the theorem asks for E f(p, q), where f is
// convex, does not fall with p, and does not grow with q. As q = kappa / p, kappa = e^(-mu^2), is above its tangents,
// f(p, q) is at most f at the broken line whose corners are (x_k, c_k kappa / x_k) at geometric places x_k; c_k = 1 /
// cosh^2 of half the logarithm of their ratio, for there the tangents at the middles of both neighbouring gaps meet.
// Along a line f is convex, so each cell's mass may be split between its corners.
#pragma once

#include <vector>

namespace hockeystick {

/// A corner: it counts `mass` f(gain, loss).
struct PivotNode {
  double mass, gain, loss;
};

/// Corners in increasing order of the gain. Above the last one, where f grows by at most `slope` for each unit of p,
/// the sum lacks at most slope * excess.
struct PivotNodes {
  std::vector<PivotNode> nodes;
  double excess;
};

/// In cells of `width` of g, or less. About `tail` of the mean of p may lie above the last corner. mu: as of
/// split_lognormal. Everything rounded so that the sum is above E f(p, q).
PivotNodes pivot_nodes(double mu, double width, double tail);

}  // namespace hockeystick
