// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Cuts for tangent_hull: where the mass around each support point balances, so that the
/// tangents at the cuts meet on the support. Half way, but for a few gaps at an end of the loss: there the
/// density changes much within a cell, and half way would cost an error of first order. By a local model
/// of the density from the halves; any cuts give a valid lower estimate.
std::vector<double> tangent_points(const SupportCells& halves);

/// Lower estimate from the tangents of the hockey-stick curve at the cuts: at each support point the
/// lower of the two neighbouring tangents, then the lower hull. Every chord lies under one tangent.
/// Cut midway these are the midpoint tangents, cut by tangent_points the default estimate.
StepPmf tangent_hull(const SupportCells& cells);

/// Lower estimate of Doroshenko et al. (2022), Algorithm 2: the tangents at the support points
/// themselves, each evaluated at the neighbouring points, then the lower hull.
StepPmf algorithm_2(const SupportCells& cells);

}  // namespace hockeystick
