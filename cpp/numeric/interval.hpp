// SPDX-License-Identifier: Apache-2.0
// The interval that encloses a real number, and the same as a ball.
#pragma once

#include <algorithm>

#include "numeric/constants.hpp"

namespace hockeystick {

/// lower <= truth <= upper.
struct Interval {
  double lower, upper;
};

/// Nothing is known.
inline constexpr Interval anything{-infinity, infinity};

/// Both hold.
inline Interval both(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

/// The larger of two numbers is in it.
inline Interval larger(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

/// |value - truth| <= error.
struct Ball {
  double value, error;
};

}  // namespace hockeystick
