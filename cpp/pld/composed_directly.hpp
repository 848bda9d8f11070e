// SPDX-License-Identifier: Apache-2.0
// The composition of two distributions by direct summation, without a transform.
#pragma once

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The composition of `a` and `b`, of their side, as the direct sum over pairs of losses. All errors are relative to
/// each mass, so results can be composed again. At each end, losses with a total mass of at most `cut` are cut off: an
/// upper one moves them to +inf or up to the first loss that stays; a lower one moves them down to the last loss that
/// stays or drops them. Both have one side and one interval, and neither is reflected. Reflecting the result certifies
/// nothing. Cost: the product of the numbers of losses, a multiplication and an addition each.
LossPmf composed_directly(const LossPmf& a, const LossPmf& b, double cut);

}  // namespace hockeystick
