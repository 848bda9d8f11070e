// SPDX-License-Identifier: Apache-2.0
// The contour sum: delta(epsilon) of a composition from moments on a line Re z = c.
//
// delta(epsilon) = 1 / (2 pi i) * integral over Re z = c of product M_j(z)^n_j e^(-z epsilon) / (z (z + 1)) dz. The
// trapezoid rule of spacing h takes, by Poisson summation, exactly sum over all whole k of
// e^(c k period) delta(epsilon + k period), period = 2 pi / h: every term is >= 0 and k = 0 is the answer. Terms k > 0
// and k < 0 are bounded by Chernoff's inequality at a higher and a lower tilt, samples beyond the last by the modulus
// of the moments. cpp/proofs/contour-rounding.md, contour-tail.md and contour-aliases.md book them.
//
// At tilts in (-1, 0), between both poles, the same integral is delta(epsilon) - 1: with the opposite sign the sum
// gives 1 - delta, to a relative error where that is small (cpp/proofs/contour-complement.md).
#pragma once

#include <span>
#include <vector>

#include "methods/contour_product.hpp"
#include "numeric/interval.hpp"
#include "pld/smoothing.hpp"

namespace hockeystick {

/// The sum at an epsilon, and the parts of the enclosure of delta; at tilts in (-1, 0) of 1 - delta. The tail includes
/// losses that the lines leave out.
struct ContourDelta {
  double value;
  double rounding, tail, alias;  // above = rounding + tail, below = rounding + tail + alias
  double slope;                  // -d log delta / d epsilon, about
  double upper() const { return value + (rounding + tail); }
  double lower() const { return value - (rounding + tail + alias); }
};

class ContourSum {
 public:
  /// With smoothing, `delta` encloses the smoothed curve.
  explicit ContourSum(const ContourProduct& product, const Smoothing& smoothing = {});

  ContourDelta delta(double epsilon) const {
    ContourDelta result{};
    deltas({&epsilon, 1}, {&result, 1});
    return result;
  }
  /// The same at each epsilon, faster than one by one.
  void deltas(std::span<const double> epsilons, std::span<ContourDelta> results) const;

  /// Encloses the epsilon at which delta(epsilon) = delta, by steps outward from `epsilon`, where the sum is `near`. An
  /// end that the steps do not reach is 0 or inf.
  Interval enclose(double delta, double epsilon, const ContourDelta& near) const;
  Interval enclose(double delta, double epsilon) const { return enclose(delta, epsilon, this->delta(epsilon)); }

  /// M(tilt) e^(-tilt epsilon): errors of moments are relative to it.
  double unit(double epsilon) const;

  /// An epsilon near `start` at which delta is about `delta`, by Newton's method on log delta; certifies nothing.
  double solve(double delta, double start) const;

 private:
  struct Sum {
    double value, slope;  // of the samples, and its derivative by epsilon
  };
  void weigh(const ContourProduct& product, const Smoothing& smoothing);
  Sum sum(double epsilon) const;
  ContourDelta enclosed(double epsilon, const double* powers) const;

  Contour contour_;
  double spacing_;
  double left_out_;                       // mass of losses that the lines leave out
  double log_moment_, log_moment_error_;  // of the composition at the tilt
  double log_higher_, log_lower_;         // the Chernoff bounds of the aliases at epsilon = 0
  std::vector<double> re_, im_;           // M(z_k)^n / (M(c)^n z_k (z_k + 1)), times 2 for k >= 1; padded with zeros
  double total_ = 0;                      // sum of the moduli of these weights
  // Errors of the sum: rounding of the weights, rounding per error of the angle, samples beyond the last.
  double rounding_ = 0, turning_ = 0, tail_ = 0;
};

}  // namespace hockeystick
