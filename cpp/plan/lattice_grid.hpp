// SPDX-License-Identifier: Apache-2.0
// Grids that atoms of the privacy loss fall on. Connect the dots spreads an atom between grid points at an
// error of second order in the interval, but a lower estimate must move it: first order, in every step.
#pragma once

#include <vector>

#include "mechanisms/composition.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// Discretization interval and offsets, one a term, that put as many atoms on the grid as an interval
/// of about the one asked for, never a larger one, can.
struct LatticeGrid {
  double interval;
  std::vector<double> offsets;
  double off_grid_steps = 0;  // steps, weighted by tilted mass, whose atoms stay off the grid
  bool exact = false;         // all mass of all terms lies on the grid

  /// A tilt that the grid cannot resolve would serve nobody; a grid that holds all mass resolves any, up to
  /// where what stands for underflow shows.
  double steepest_tilt() const { return (exact ? 200 : 0.5) / interval; }
};

struct LatticeGridNeeds {
  double tilt;
  double interval;       // asked for [nats]
  double span = 0;       // about the width of the composition's window [nats]
  bool balanced = true;  // whether mass at the end of a bounded loss is to balance on the grid
};

/// Where all mass can lie on a grid with few enough points in the span, that grid is taken however wide.
LatticeGrid choose_lattice_grid(const Direction& direction, const Saddlepoint& saddlepoint,
                                const LatticeGridNeeds& needs);

}  // namespace hockeystick
