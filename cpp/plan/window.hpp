// SPDX-License-Identifier: Apache-2.0
// The losses that a composition is needed at, how long a circle keeps other losses from them, and where Chernoff's
// inequality should bound what does not keep away.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plan/saddlepoint.hpp"
#include "pld/compose.hpp"

namespace hockeystick {

/// The points shift + k interval; tilts beyond `steepest` are of no use on them.
struct WindowGrid {
  double interval, shift, steepest;
};

/// Numbers of points are doubles, for they may exceed any memory.
struct WindowForecast {
  double first, size;  // of the window [points]
  double period;       // of the circle [points]
  ChernoffTilts chernoff;

  double length() const { return std::max({size, period, 64.0}); }
  /// No transform is longer, and no sane memory limit; a window is placed by an int64.
  bool is_feasible() const { return length() <= 0x1p30 && std::fabs(first) <= 0x1p62; }

  /// The window and the length of the transform; of feasible ones.
  Window window() const;
  std::size_t fft_size() const;

  /// Of the transform with its circle, and of the curves that it leaves.
  double bytes(int curves) const;

  /// Cuts off the points below `lowest` and above `highest`, where there are no losses [points from the shift].
  void clip(double lowest, double highest);
};

/// For a question at `at`, by a composition tilted by `tilt`: each truncation takes about `cut` of delta there. Rough:
/// neither where the answer lies nor how steep the tails are is known well.
WindowForecast question_window(const Saddlepoint& saddlepoint, const Saddle& at, double tilt, const WindowGrid& grid,
                               double cut, bool is_rough = false);

/// For all questions: loses no more than the tail mass at either end, in the measures of P, Q and the tilt.
WindowForecast whole_window(const Saddlepoint& saddlepoint, double tilt, const WindowGrid& grid, double tail_mass);

}  // namespace hockeystick
