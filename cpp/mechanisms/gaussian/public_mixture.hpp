// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// One of the pairs that a mechanism may turn out to have, without atoms or infinite losses. `error` bounds the
/// relative error of the masses and of the loss's slope in the outcome and the error of the losses [nats] that the
/// pair's own parameters bring along, and that of its bound of D_a / a, whose limit for large a must hold for the true
/// parameters.
struct Choice {
  double weight;  // in (0, 1], relative error at most 2 u
  std::shared_ptr<const DominatingPair> pair;
  double error = 0;
};

/// A part that is not listed: at a real tilt t its moment is at most e^(t (t + 1) slope), times a weight of at most
/// this.
struct PartLeftOut {
  double weight, slope;
};

/// The pair of a mechanism that draws one of `choices`, shows which, and runs it: (sum w P, sum w Q) on the disjoint
/// union of their outcomes. Any mixture that hides the draw is dominated by it, as the hockey-stick divergence is
/// jointly convex. `rest` is what is not listed: upper bounds of its weight and, for all a > 1, of its D_a / a. Cells
/// count it as loss +inf.
std::shared_ptr<const DominatingPair> public_mixture(std::vector<Choice> choices, PartLeftOut rest);

}  // namespace hockeystick
