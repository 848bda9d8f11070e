// SPDX-License-Identifier: Apache-2.0
// Enclosures of a real number, as an interval and as a ball.
#pragma once

#include <algorithm>

#include "numeric/constants.hpp"

namespace hockeystick {

/// An interval: lower <= truth <= upper.
struct Interval {
  double lower, upper;
};

/// The interval of all numbers.
inline constexpr Interval anything{-infinity, infinity};

/// The intersection of two intervals for one number.
inline Interval both(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::min(a.upper, b.upper)};
}

/// An interval for the larger of two numbers.
inline Interval larger(const Interval& a, const Interval& b) {
  return {std::max(a.lower, b.lower), std::max(a.upper, b.upper)};
}

/// A ball: |value - truth| <= error.
struct Ball {
  double value, error;
};

}  // namespace hockeystick
