// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// One of the pairs that a mechanism may turn out to have, without atoms or infinite losses. `error` bounds the errors
/// that come from the pair's own parameters: the relative error of the masses and of the loss's slope in the outcome,
/// the error of the losses [nats], and that of its bound of D_a / a, whose limit for large a must hold for the true
/// parameters.
struct Choice {
  double weight;  // in (0, 1], relative error at most 2 u
  std::shared_ptr<const DominatingPair> pair;
  double error = 0;
};

/// A part that is not listed: `weight` is an upper bound of its weight, and its moment at a real tilt t is at most e^(t
/// (t + 1) slope).
struct PartLeftOut {
  double weight, slope;
};

/// The pair of a mechanism that draws one of `choices`, shows which, and runs it: (sum w P, sum w Q) on the disjoint
/// union of their outcomes. This pair dominates any mixture that hides the draw, as the hockey-stick divergence is
/// jointly convex. `rest` stands for the choices that are not listed: upper bounds of their weight and, for all a > 1,
/// of their D_a / a. Cells count them at loss +inf.
std::shared_ptr<const DominatingPair> public_mixture(std::vector<Choice> choices, PartLeftOut rest);

}  // namespace hockeystick
