// SPDX-License-Identifier: Apache-2.0
// Plans one transform from the forecast of the question: tilt, window, interval, supports, size, bytes and cost.
// Planning allocates no large memory.
#pragma once

#include <vector>

#include "plan/closing.hpp"
#include "plan/nonuniform_grid.hpp"
#include "plan/window.hpp"

namespace hockeystick {

/// The goal of one transform.
struct Target {
  Saddle saddle;           // the forecast of the question
  double log_tolerance;    // relative width of delta that is wanted
  double interval;         // discretization interval [nats]
  double cut;              // part of delta that each truncation may take
  bool from_below = true;  // whether a lower estimate is wanted, which needs a shifted grid
  Closing closing = {};
};

struct Plan {
  double interval, tilt;
  double off_grid_steps;  // number of steps, by tilted mass, whose atoms lie off the grid
  Window window;
  std::size_t fft_size;
  ChernoffTilts chernoff;
  Closing closing;
  std::vector<double> log_moments;       // per term, at the tilt
  std::vector<NonuniformGrid> supports;  // per term
  double points;                         // of all supports
  double bytes;                          // forecast peak memory
  double step_bytes;                     // the part of it for the discretized steps
  double cost;                           // [ns]
};

/// Rough cost [ns] of a transform that encloses delta to `log_tolerance`, without a plan. Atoms are ignored.
double forecast_transform_cost(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& saddle,
                               double log_tolerance);

Plan make_plan(const Direction& direction, const Saddlepoint& saddlepoint, const Target& target);

}  // namespace hockeystick
