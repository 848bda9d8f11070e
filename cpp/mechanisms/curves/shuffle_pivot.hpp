// SPDX-License-Identifier: Apache-2.0
// The output of the last batch of a shuffled epoch that uses every record, cut into cells: E f(p, q) is at most the
// mean of f over corners of a broken line, for f as in cpp/proofs/shuffled-pivot.md.
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

/// The cells of g are at most `width` wide. About `tail` of the mean of p may lie above the last corner. mu is as in
/// split_lognormal. All roundings keep the sum above E f(p, q).
PivotNodes pivot_nodes(double mu, double width, double tail);

}  // namespace hockeystick
