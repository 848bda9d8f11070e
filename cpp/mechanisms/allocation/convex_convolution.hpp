// SPDX-License-Identifier: Apache-2.0
// Means of independent non-negative variables, bounded in convex order.
//
// X <=cx Y: E f(X) <= E f(Y) for all convex f. Splitting an atom between its neighbours with its mean kept raises a law
// in this order, merging atoms to their mean lowers it, and means of independent variables keep the order. So a
// variable that is moved to a grid by splits, convolved with itself and moved again lies above; by merging, below.
#pragma once

#include <algorithm>
#include <cmath>

#include "mechanisms/allocation/grid_law.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {

/// How fine the grid of a mean of j copies should be, from the variance of one.
struct Resolution {
  double variance, cells;  // `cells` intervals in a deviation of log R, or in 1 if that is less
  double least, most;      // values of a law, about

  double interval(double j) const { return std::sqrt(std::min(1.0, math::log1p(variance / j))) / cells; }
};

/// The law of (R_1 + ... + R_t) / t for independent copies of R, t >= 1 and whole. Of a mean of j copies, one of up to
/// 2 log2(t), `cuts.below` j / t of Q-mass and `cuts.above` of P-mass may be cut; `cuts.top` is of the sum of them.
GridLaw mean_of(GridLaw law, double t, const Resolution& resolution, const Cuts& cuts);

}  // namespace hockeystick
