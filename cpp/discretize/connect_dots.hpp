// SPDX-License-Identifier: Apache-2.0
// The default upper estimate of one step: connect the dots.
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Connect the dots (Doroshenko et al. 2022, Algorithm 1, Lemma 4.1): the smallest hockey-stick curve on the support
/// that is nowhere below the pair's. The P- and Q-mass of each cell go to the cell's two ends. Every mass is an upper
/// bound of its exact value. Cost: linear in the support.
StepPmf connect_dots(const SupportCells& cells);

}  // namespace hockeystick
