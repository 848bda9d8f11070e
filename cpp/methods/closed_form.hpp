// SPDX-License-Identifier: Apache-2.0
// delta and epsilon of plain Gaussians by their formula, which is a difference of two normal tails.
#pragma once

#include "numeric/interval.hpp"

namespace hockeystick {

/// delta(epsilon) = T(epsilon / mu - mu / 2) - e^epsilon T(epsilon / mu + mu / 2), T the upper normal tail: the
/// hockey-stick curve of N(mu, 1) against N(0, 1), mu > 0 known to a relative error.
class GaussianCurve {
 public:
  GaussianCurve(double mu, double mu_error) : mu_(mu), mu_error_(mu_error) {}

  /// [0, 1] where delta is below about 1e-299, or mu outside [1e-100, 1e12].
  Interval delta(double epsilon) const;

  /// The smallest epsilon >= 0 with delta(epsilon) <= delta; [0, inf] where such a delta is not enclosed.
  Interval epsilon(double delta) const;

 private:
  struct Point {
    double value, error, slope;  // delta, what it may be off by, and minus its derivative
    Interval interval() const;
  };
  Point at(double epsilon) const;

  double mu_, mu_error_;
};

}  // namespace hockeystick
