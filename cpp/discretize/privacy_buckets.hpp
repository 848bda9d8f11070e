// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Privacy buckets (Meiser & Mohammadi 2018): the P-mass of each cell [loss_i, loss_(i+1)) at its upper
/// end, unless all of it sits on the lower one; what lies above the last point at +inf. Off to first order in the gaps,
/// kept for comparison; the Q-mass that rounding up loses goes to loss -inf, so that reflection stays valid, if loose.
StepPmf privacy_buckets_upper(const SupportCells& cells);

/// The same at the lower end of each cell; what lies above the last point is merged into it, what lies
/// below the first is dropped.
StepPmf privacy_buckets_lower(const SupportCells& cells);

}  // namespace hockeystick
