// SPDX-License-Identifier: Apache-2.0
// The lower estimates of one step, from tangents of its hockey-stick curve.
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Lower estimate from the tangents of the hockey-stick curve at the cuts: at each support point the lower of the two
/// neighbouring tangents, then the lower hull. Every chord lies under one tangent.
StepPmf tangent_hull(const SupportCells& cells);

/// Lower estimate of Doroshenko et al. (2022), Algorithm 2: the tangents at the support points
/// themselves, each evaluated at the neighbouring points, then the lower hull.
StepPmf algorithm_2(const SupportCells& cells);

}  // namespace hockeystick
