// SPDX-License-Identifier: Apache-2.0
// The planner: from the question's forecast (Saddlepoint) to tilt, window, interval, supports, size and cost; by cost
// the engine chooses between a transform, a contour of moments and a contour of steps. Pure: it touches no large
// memory, and a plan knows its bytes before anything is built.
#pragma once

#include <vector>

#include "plan/closing.hpp"
#include "plan/nonuniform_grid.hpp"
#include "plan/window.hpp"

namespace hockeystick {

/// What one pass is to achieve.
struct Target {
  Saddle saddle;           // where the question lies, by the forecast
  double log_tolerance;    // wanted relative width of delta there
  double interval;         // discretization interval [nats]
  double cut;              // relative mass each truncation may take
  bool from_below = true;  // whether a lower estimate is wanted, for which grids are shifted
  Closing closing = {};
};

struct Plan {
  double interval, tilt;
  double off_grid_steps;  // steps whose atoms stay off the grid, by tilted mass: their error is of first order
  Window window;
  std::size_t fft_size;
  ChernoffTilts chernoff;
  Closing closing;
  std::vector<double> log_moments;       // per term, at the tilt
  std::vector<NonuniformGrid> supports;  // per term
  double points;                         // of all supports
  double bytes;                          // peak memory predicted
  double step_bytes;                     // of it, the steps' own
  double cost;                           // of a pass [ns]
};

/// Cost of a transform of steps without atoms, in the tolerance that the saddle's question allows on delta, before any
/// plan.
double forecast_transform_cost(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& saddle,
                               double log_tolerance);

Plan make_plan(const Direction& direction, const Saddlepoint& saddlepoint, const Target& target);

}  // namespace hockeystick
