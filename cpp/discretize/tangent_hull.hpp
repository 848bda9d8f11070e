// SPDX-License-Identifier: Apache-2.0
// The lower estimates of one step, from tangents of its hockey-stick curve.
#pragma once

#include "discretize/cells.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Cuts for tangent_hull that balance the mass around each support point, so that the tangents at the cuts meet on the
/// support. Cuts are half way, except in a few gaps at an end of the loss, where the density changes much within a cell
/// and half way would cost an error of first order; there a local model of the density places them. Any cuts give a
/// valid lower estimate.
std::vector<double> tangent_points(const SupportCells& halves);

/// Lower estimate from the tangents of the hockey-stick curve at the cuts: at each support point the lower of the two
/// neighbouring tangents, then the lower hull. Every chord lies under one tangent. The default estimate uses the cuts
/// of tangent_points; midway cuts give the midpoint tangents.
StepPmf tangent_hull(const SupportCells& cells);

/// The better of the lower estimates with cuts half way and with those of tangent_points: the one with the larger
/// E e^(tilt L). For t > 0 that is an integral of the curve with positive weights, so that it is larger for the curve
/// that lies nearer to the pair's where the tilt looks.
StepPmf best_tangent_hull(const DominatingPair& pair, const SupportCells& halves, double tilt);

/// Lower estimate of Doroshenko et al. (2022), Algorithm 2: the tangents at the support points
/// themselves, each evaluated at the neighbouring points, then the lower hull.
StepPmf algorithm_2(const SupportCells& cells);

}  // namespace hockeystick
