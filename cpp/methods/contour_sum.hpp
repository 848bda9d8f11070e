// SPDX-License-Identifier: Apache-2.0
// The contour sum: delta(epsilon) of a composition from moments on a line Re z = c.
//
// delta(epsilon) = 1 / (2 pi i) * integral over Re z = c of product M_j(z)^n_j e^(-z epsilon) / (z (z + 1)) dz. The
// trapezoid rule of spacing h takes, by Poisson summation, exactly sum over all whole k of
// e^(c k period) delta(epsilon + k period), period = 2 pi / h: every term is >= 0 and k = 0 is the answer. Terms k > 0
// and k < 0 are bounded by Chernoff's inequality at a higher and a lower tilt, samples beyond the last by the modulus
// of the moments. cpp/proofs/contour-rounding.md, contour-tail.md and contour-aliases.md book them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "forecast/contour_plan.hpp"
#include "methods/question.hpp"
#include "methods/smoothing.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// delta at an epsilon and what its enclosure [value - below, value + above] is made of.
struct ContourDelta {
  double value;
  double rounding, tail, alias;  // above = rounding + tail, below = rounding + tail + alias
  double upper() const { return value + (rounding + tail); }
  double lower() const { return value - (rounding + tail + alias); }
};

/// The line of each term in turn, good until the next is asked for.
using LineOf = std::function<const MgfLine&(std::size_t)>;

/// Made one after the other; throws NoLine where a term has none.
LineOf made_in_turn(const Direction& direction, const LineNeeds& needs);
struct NoLine {};

inline LineOf kept(const Lines& lines) {
  return [&lines](std::size_t j) -> const MgfLine& { return *lines[j]; };
}

/// Chernoff's bound of a composition at one tilt >= 0, term by term.
class ChernoffBound {
 public:
  explicit ChernoffBound(double tilt) : tilt_(tilt) {}
  void add(const MgfLine& line, std::int64_t count);

  /// log of an upper bound of delta(epsilon): e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y).
  double log_delta(double epsilon) const;

 private:
  double tilt_, value_ = 0, size_ = 1, terms_ = 0;
};

class Product;

class ContourSum {
 public:
  /// Smoothed, delta is that of the smoothed curve.
  ContourSum(const Direction& direction, const LineOf& line_of, const Contour& contour,
             const Smoothing& smoothing = {});

  ContourDelta delta(double epsilon) const {
    ContourDelta result{};
    deltas({&epsilon, 1}, {&result, 1});
    return result;
  }
  /// The same at each epsilon, in less time.
  void deltas(std::span<const double> epsilons, std::span<ContourDelta> results) const;

  /// Encloses the epsilon at which delta(epsilon) = delta, outward from one nearby; (0, inf) where it does not.
  Interval enclose(double delta, double epsilon) const;

  /// -d log delta / d epsilon, about.
  double slope(double epsilon) const;

  /// An epsilon near `start` at which delta is about `delta`, by Newton's method on log delta; certifies nothing.
  double solve(double delta, double start) const;

 private:
  struct Sum {
    double value, slope;  // of the samples, and its derivative by epsilon
  };
  void weigh(const Product& product, double log_beyond, const Smoothing& smoothing);
  Sum sum(double epsilon) const;
  ContourDelta enclosed(double epsilon, const double* powers) const;

  Contour contour_;
  double spacing_;
  double log_moment_ = 0, log_moment_error_ = 0;  // of the composition at the tilt
  double log_higher_, log_lower_;                 // the Chernoff bounds of the aliases at epsilon = 0
  std::vector<double> re_, im_;                   // M(z_k)^n / (M(c)^n z_k (z_k + 1)), twice from k = 1 on, then zeros
  double total_ = 0;                              // sum of the sizes of the weights
  double rounding_ = 0, turning_ = 0, tail_ = 0;  // of the sum: fixed, per turn by epsilon, beyond the last sample
};

}  // namespace hockeystick
