// SPDX-License-Identifier: Apache-2.0
// How often a mechanism runs before the best output is released: laws of a random number K.
#pragma once

#include "numeric/constants.hpp"

namespace hockeystick {

/// The generating function f(z) = E z^K of a law, by f'(1 - x) = mean * (1 + rise x)^-(shape + 1) of a truncated
/// negative binomial number (0: logarithmic, 1: geometric), mean * e^(-mean x) of a Poisson number, and
/// mean * (1 - mean x / trials)^(trials - 1) of a binomial one.
class NumberOfRuns {
 public:
  enum class Kind { poisson, negative_binomial, binomial };

  /// `extra`: the shape in (-1, 100], or the number of trials, a whole number in [mean, 1e6].
  NumberOfRuns(Kind kind, double mean, double extra);

  /// f'(1 - x), 0 <= x <= 1, convex and falling; within `error` of itself.
  double rate(double x) const;
  /// log(f'(1 - x) / mean), within the same error.
  double log_share(double x) const;
  /// The size of its slope, and of that of its logarithm, within 2^-40 of themselves and `error` / x of the rate, or of
  /// 1: near a mean of 1 the rise is known as well as the mean less 1.
  double rate_slope(double x) const;
  double log_slope(double x) const;
  double error() const { return error_; }

  /// f(1 - x) - f(1 - x - part), of positive terms; `rest` is 1 - x. If x, rest and part are within e of themselves,
  /// within error + sensitivity e of itself.
  double between(double x, double rest, double part) const;
  double sensitivity() const;

  /// f(0), the probability of no run, and bounds of it.
  double none() const;
  double none_above() const { return none() * (1 + error_); }

  /// Upper bound of the largest loss of the best output. `loss` is the largest loss of a run, `back` that of the
  /// reverse, `variation` their total variation; losses may be infinite.
  double largest_loss(double loss, double back, double variation) const;

  double mean() const { return mean_; }
  /// The largest number of runs; infinity if there is none.
  double most() const { return kind_ == Kind::binomial ? trials_ : infinity; }
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
  double mean_, shape_ = 1, rise_ = 0, trials_ = 1, chance_ = 1;
  double error_ = 0;
};

}  // namespace hockeystick
