// SPDX-License-Identifier: Apache-2.0
// The window of losses at which a composition is computed, the period of the cyclic convolution that keeps other losses
// out of it, and the tilts at which Chernoff's inequality bounds the losses that wrap into it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plan/saddlepoint.hpp"
#include "pld/compose.hpp"

namespace hockeystick {

/// The points shift + k interval, and the highest tilt that they resolve.
struct WindowGrid {
  double interval, shift, steepest;
};

/// Numbers of points are doubles, as they may exceed any memory.
struct WindowForecast {
  double first, size;  // of the window [points]
  double period;       // of the circle [points]
  ChernoffTilts chernoff;

  double length() const { return std::max({size, period, 64.0}); }
  /// Transforms have at most 2^30 points, and an int64 places a window.
  bool is_feasible() const { return length() <= 0x1p30 && std::fabs(first) <= 0x1p62; }

  /// The window and the length of the transform, if it is feasible.
  Window window() const;
  std::size_t fft_size() const;

  /// Bytes of the transform with its circle, and of the curves made of it.
  double bytes(int curves) const;

  /// Cuts off the points below `lowest` and above `highest`, where there are no losses [points from the shift].
  void clip(double lowest, double highest);
};

/// For a question at `at` and a composition tilted by `tilt`: each truncation takes about the part `cut` of delta.
/// `is_rough`: whether the answer and the decay of the tails are known roughly only.
WindowForecast question_window(const Saddlepoint& saddlepoint, const Saddle& at, double tilt, const WindowGrid& grid,
                               double cut, bool is_rough = false);

/// For all questions: at most `tail_mass` lies beyond either end, under P and Q.
WindowForecast whole_window(const Saddlepoint& saddlepoint, const WindowGrid& grid, double tail_mass);

}  // namespace hockeystick
