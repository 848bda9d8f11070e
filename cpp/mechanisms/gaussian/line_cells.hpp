// SPDX-License-Identifier: Apache-2.0
// Bounds of a tilted loss's density between adjacent points x. From below the density is a bar; from above its
// integrand is a cell of a path off the axis. cpp/proofs/contour-tail.md and cpp/proofs/moment-decay.md have the
// proofs.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/gaussian/moment_decay.hpp"
#include "mechanisms/gaussian/moment_strips.hpp"

namespace hockeystick {

/// An end of a bar: the density P e^(tilt L) of x, the log of its factor next to phi, the loss with its error, and the
/// slopes of lambda at x and -x.
struct BarEnd {
  double x, density, growth, loss, loss_error, slope, slope_behind;
};

/// The width of an interval of losses between two ends, and a lower bound of the density of L there.
struct Bar {
  double height, width;
};

Bar bar_between(const BarEnd& left, const BarEnd& right, const SmoothWeights& weights, double tilt);

/// An end of cells of a path: the logs of the density of x over M(tilt) and of its factor next to phi, each within
/// `off`, and the slopes of lambda at x and -x.
struct CellEnd {
  double x, log_density, growth, slope, slope_behind, off;
};

/// The cells between adjacent ends.
std::vector<MomentDecay::Cell> decay_cells(std::span<const CellEnd> ends, const SmoothWeights& weights, double tilt);

/// The cell of the path's vertical piece at an end.
MomentDecay::Cell upright(const CellEnd& end, const SmoothWeights& weights);

}  // namespace hockeystick
