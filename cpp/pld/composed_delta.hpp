// SPDX-License-Identifier: Apache-2.0
// The delta of a composition of two distributions, at given epsilons, without composing them.
#pragma once

#include <span>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Bounds of delta(epsilon) of the composition of `a` and `b`, of their side:
///     sum_i a_i h_b(epsilon - loss_i),
/// h_b the hockey-stick sum of b, whose suffix grows by one point as i does (Google's privacy loss distribution notes,
/// section 5.1). Both have one side and one interval; offsets and tilts may differ. Cost for each epsilon: linear in
/// the numbers of losses.
void composed_delta(const LossPmf& a, const LossPmf& b, std::span<const double> epsilons, std::span<double> deltas);

}  // namespace hockeystick
