// SPDX-License-Identifier: Apache-2.0
// Grids on which atoms of the privacy loss lie. Connect the dots spreads an atom over two grid points with an error of
// second order in the interval, but the lower estimate has to move it, with an error of first order in every step.
#pragma once

#include <vector>

#include "mechanisms/composition.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// Discretization interval, and an offset for each term, that put as many atoms as possible on the grid. The interval
/// is at most the one asked for unless the grid is `exact`.
struct LatticeGrid {
  double interval;
  std::vector<double> offsets;
  double off_grid_steps = 0;  // number of steps, by tilted mass, whose atoms lie off the grid
  bool exact = false;         // whether all mass of all terms lies on the grid

  /// The highest tilt that the grid resolves. An exact grid resolves any tilt; its limit keeps underflow negligible.
  double steepest_tilt() const { return (exact ? 200 : 0.5) / interval; }
};

struct LatticeGridNeeds {
  double tilt;
  double interval;       // asked for [nats]
  double span = 0;       // forecast width of the composition's window [nats]
  bool balanced = true;  // whether to balance mass near an end of the losses about a grid point
};

/// The spacing of the lattice on which all losses of a pair lie: inf for one loss, 0 if there is none.
double lattice_spacing(const DominatingPair& pair);

/// If all mass can lie on a grid with few points in the span, that grid is chosen, also if it is wider than asked for.
LatticeGrid choose_lattice_grid(const Direction& direction, const Saddlepoint& saddlepoint,
                                const LatticeGridNeeds& needs);

}  // namespace hockeystick
