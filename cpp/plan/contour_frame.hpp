// SPDX-License-Identifier: Apache-2.0
// The position of a contour's line, and the period of its aliases. No bound depends on them.
#pragma once

#include <cstddef>

#include "numeric/constants.hpp"
#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// The tilt of the line, and the tilts of the Chernoff bounds of the aliases: 0 <= lower < tilt < higher, or -1 <=
/// lower < tilt < higher <= 0 for a contour of 1 - delta.
struct Contour {
  double lower, tilt, higher;
  double period;      // of the aliases [nats]
  std::size_t count;  // of samples
};

/// The highest tilt of a line. Saddle points of small losses lie at large tilts.
double highest_tilt(const Saddle& at);

/// Forecast rounding of the product of moments, relative to the product at the tilt.
double likely_rounding(const Saddlepoint& saddlepoint);

/// A contour without a count of samples: the line runs through the saddle point, or at a lower tilt if losses are rare
/// and huge; its period is such that each alias is forecast to be e^log_fraction of delta.
struct ContourFrame {
  Contour contour;
  Cumulants cumulants;  // at its tilt
};
/// `flattest`: the lowest tilt of a line, as a part of the saddle's; `highest`: the highest tilt of an alias' bound;
/// `rounding`: of the product of moments, relative to the product at the tilt.
ContourFrame contour_frame(const Saddlepoint& saddlepoint, const Saddle& at, double log_fraction, double rounding,
                           double flattest, double highest = infinity);

}  // namespace hockeystick
