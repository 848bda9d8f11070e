// SPDX-License-Identifier: Apache-2.0
// Renyi divergences from a hockey-stick curve. For convex f, E_Q[f(dP/dQ)] is f(1) plus the integral of f''(alpha)
// w(alpha) over alpha > 0, with w(alpha) = h(alpha) - (1 - alpha)_+ >= 0. So a higher curve has larger divergences, and
// the curve that a distribution certifies bounds them from its side.
#pragma once

#include <vector>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The divergences of P from Q that a distribution certifies.
class Divergences {
 public:
  explicit Divergences(const LossPmf& pmf);

  /// Bound of the Renyi divergence of order >= 1, of the distribution's side; order 1 is the mean of the loss. Upper:
  /// inf if mass is at +inf; mass that truncation may have cut counts at the largest loss. Lower: inf if mass is
  /// certainly at +inf. Cost: one sweep over the losses.
  double renyi(double order) const;

  /// Upper: the largest loss of the curve [nats], which no divergence exceeds.
  double largest_loss() const;

 private:
  // A function that is linear in alpha between losses l - d and l, with values a and b there, has the integral e^(t l)
  // (a left + b right) against f'' / t = (t + 1) alpha^(t - 1), t = order - 1.
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
  double place_;              // bound of the rounding of a loss [nats]
  bool ends_ = false;         // whether the gap to the last kink, where w is 0, differs from the interval
  std::vector<double> loss_;  // the curve's kinks, evenly spaced except for rounding and the last
  std::vector<double> w_;     // upper: at least the curve's w there; lower: at most
};

}  // namespace hockeystick
