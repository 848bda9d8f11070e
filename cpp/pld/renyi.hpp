// SPDX-License-Identifier: Apache-2.0
// Renyi divergences from a hockey-stick curve: for convex f, E_Q[f(dP/dQ)] is f(1) and the integral of
// f''(alpha) w(alpha) over alpha > 0, with w(alpha) = h(alpha) - (1 - alpha)_+ >= 0. So a higher curve has the larger
// divergences, and the curve that a distribution certifies bounds them from its side.
#pragma once

#include <vector>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The divergences of P from Q that a distribution certifies.
class Divergences {
 public:
  explicit Divergences(const LossPmf& pmf);

  /// Bound of the Renyi divergence of order >= 1, of the distribution's side; that of order 1 is the mean of the
  /// loss. Upper: inf where mass is at +inf; what truncation may have cut counts at the largest loss. Lower: inf where
  /// mass certainly is at +inf. One pass over the losses.
  double renyi(double order) const;

  /// Upper: the largest loss of the curve [nats], which no divergence exceeds.
  double largest_loss() const;

 private:
  // A function that is linear in alpha between losses l - d and l, a and b there, has the integral
  // e^(t l) (a left + b right) against f'' / t = (t + 1) alpha^(t - 1), t = order - 1.
  struct Hat {
    double left, right;
  };
  static Hat hat(double t, double d);
  Hat end_hat(double t) const;
  double scale(double t) const;
  double rounding(double t, double scale) const;
  double outward(double value, double error) const;
  double peak(double t, double scale) const;
  double integral(double t, double scale) const;

  bool upper_;
  bool infinite_ = false;
  double interval_;
  double place_;              // what rounding may take of a loss [nats]
  bool ends_ = false;         // whether the last kink, where w is 0, is at another distance than the interval
  std::vector<double> loss_;  // of the curve's kinks, else evenly spaced but for rounding
  std::vector<double> w_;     // there: upper: at least, lower: at most the curve's
};

}  // namespace hockeystick
