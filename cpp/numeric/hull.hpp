// SPDX-License-Identifier: Apache-2.0
// Lower convex hull of a piecewise linear function by Andrew's monotone chain, in terms of its slope changes (kinks). A
// point lies above the hull of its neighbours exactly when its kink is negative; dropping the point moves its kink to
// the neighbours, which keeps the function's value and slope outside. Kinks keep relative accuracy where differences of
// values would not.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace hockeystick {

/// The part of a dropped kink that each neighbour receives, per unit.
struct KinkShare {
  double left, right;
};

/// Drops points until every kink but the last is >= 0; returns the kept positions, increasing. `share(l, i, r)` tells
/// how point i's kink divides between l and r; l is `none` for the first point. To cover rounding, `slack` times the
/// dropped kink is subtracted from both neighbours. Linear time: every point is dropped at most once.
template <class Share>
std::vector<std::size_t> lower_hull(std::span<double> kink, double slack, Share&& share) {
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> kept;
  kept.reserve(kink.size());
  for (std::size_t next = 0; next < kink.size(); ++next) {
    kept.push_back(next);
    while (!kept.empty() && next + 1 < kink.size() && kink[kept.back()] < 0) {
      const std::size_t dropped = kept.back();
      kept.pop_back();
      const std::size_t left = kept.empty() ? none : kept.back();
      const KinkShare part = share(left, dropped, next + 1);
      if (left != none) kink[left] += (part.left + slack) * kink[dropped];
      kink[next + 1] += (part.right + slack) * kink[dropped];
    }
  }
  return kept;
}

}  // namespace hockeystick
