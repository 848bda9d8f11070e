// SPDX-License-Identifier: Apache-2.0
// The moments of an untruncated discrete Gaussian on a line. By Poisson summation M(c + i w) / M(c) is a comb of normal
// laws: with y = w s / sigma, r its distance to the nearest multiple n of 2 pi sigma and b = (c + 1/2) s / sigma,
//
//     (-1)^(n s) e^(-r^2 / 2 + i b r),
//
// but for terms that lie at least pi sigma away. One exponential in place of a sum over all atoms.
#pragma once

#include <cstddef>
#include <vector>

#include "mechanisms/mgf_line.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

class DiscreteGaussianLine final : public FormulaLine {
 public:
  /// Below it more terms of the comb count.
  static constexpr double least_sigma = 3;

  /// `known`: encloses log M, at any tilt > 0.
  using LogMoment = Interval (*)(double sigma, double shift, double tilt);
  DiscreteGaussianLine(double sigma, double shift, double tilt, LogMoment known);

  Ball log_moment() const override;
  double log_moment_above(double tilt) const override;
  /// Every multiple of 2 pi sigma comes back to 1.
  double modulus_bound(double) const override { return 1; }

 private:
  MomentSample sample(double frequency) const override;

  double sigma_, shift_, tilt_;
  LogMoment log_moment_;
  double period_, turn_, rest_;
};

}  // namespace hockeystick
