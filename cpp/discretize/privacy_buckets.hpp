// SPDX-License-Identifier: Apache-2.0
// Privacy buckets, the classical upper and lower estimate of one step: each cell's mass at one of its ends.
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Privacy buckets (Meiser & Mohammadi 2018): the P-mass of each cell [loss_i, loss_(i+1)) goes to the upper end,
/// unless all of it lies on the lower end; mass above the last point goes to +inf. The error is of first order in the
/// gaps; kept for comparison. The Q-mass that rounding up loses goes to loss -inf: reflection stays valid but is not
/// tight.
StepPmf privacy_buckets_upper(const SupportCells& cells);

/// The same with the lower end of each cell; mass above the last point moves down to that point, mass below the first
/// is dropped.
StepPmf privacy_buckets_lower(const SupportCells& cells);

}  // namespace hockeystick
