// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Connect the dots (Doroshenko et al. 2022, Algorithm 1, Lemma 4.1): the smallest hockey-stick
/// curve on the support that is nowhere below the pair's. The P- and Q-mass of each cell go to its
/// two ends. Every mass is an upper bound of its exact value; cost linear in the support.
StepPmf connect_dots(const SupportCells& cells);

}  // namespace hockeystick
