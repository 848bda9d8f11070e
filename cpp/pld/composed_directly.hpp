// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The composition of `a` and `b`, of their side, as the direct sum over pairs of losses: all errors are relative to
/// each mass, so that it can be composed on and on. Of each end, losses are cut off whose masses sum to at most `cut`:
/// upper, to +inf and up to the first that stays; lower, down to the last that stays, and dropped.
/// Both of one side and one interval, neither reflected; nor should be the result: reflected, it says nothing.
/// Cost: the product of the numbers of losses, a multiplication and an addition each.
LossPmf composed_directly(const LossPmf& a, const LossPmf& b, double cut);

}  // namespace hockeystick
