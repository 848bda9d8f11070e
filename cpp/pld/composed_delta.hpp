// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Bounds of delta(epsilon) of the composition of `a` and `b`, of their side, without composing them:
///     sum_i a_i h_b(epsilon - loss_i),
/// h_b the hockey-stick sum of b, whose suffix grows by one point as i does (Google's privacy loss
/// distribution notes, section 5.1). Both of one side and one interval; offsets and tilts may differ.
/// Cost: linear in the numbers of losses, for each epsilon.
void composed_delta(const LossPmf& a, const LossPmf& b, std::span<const double> epsilons, std::span<double> deltas);

}  // namespace hockeystick
