// SPDX-License-Identifier: Apache-2.0
// The upper tail of a sum of log-normal variables, by a contour that bends to the left.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "numeric/interval.hpp"
#include "numeric/lognormal_transform.hpp"

namespace hockeystick {

/// call(K) = E (S - K)_+ for K - t = d in [from, to], from > 0, S as in allocation_curve.hpp, by the trapezoid rule on
/// a hyperbola s(u) = m (1 + sin(i u - alpha)) about the negative axis, where G is cut:
///     call(K) = (1 / 2 pi i) integral of f(s) ds,     f(s) = e^(s d) ((1 + G(s))^t - 1) / s^2,
/// as (1 + G)^t alone gives put(K), the inverse Laplace transform of g^t / s^2, and 1 gives d. The rule is off by
/// (M(-a) + M(a)) / (e^(2 pi a / h) - 1), M(v) the integral of |f s'| / 2 pi along the hyperbola with alpha + v. Few
/// nodes serve any d of several deviations.
class AllocationHyperbola {
 public:
  /// `accuracy`: of call(K) / t, about. Not built where it would take many nodes.
  AllocationHyperbola(const LognormalTransform& transform, double t, double from, double to, double accuracy);

  bool built() const { return built_; }
  std::size_t samples() const { return built_ ? samples_ : 0; }

  /// Encloses call(t + d) / t, d in the range; of one that is built.
  Interval call(double d) const;

  /// The hyperbola, half the width of the strip around it, the step h, M(-a) and M(a), and the error of the rule with
  /// the samples left out.
  struct Rule {
    double m, alpha, width, step;
    std::array<double, 2> moduli;
    double left_out = infinity;
  };
  const Rule& rule() const { return rule_; }

 private:
  class Arm;
  struct Point;
  double log_power(const Arm& arm, const Point& a, const Point& b, double angle) const;
  double log_power_sampled(const Point& a, const Point& b) const;
  double angle_at(const Point& a, const Point& b) const;
  double beyond(const Arm& arm, const Point& at, double& rate) const;
  double modulus(const Arm& arm) const;
  bool sample(const Arm& arm, double spacing, double part);

  const LognormalTransform& transform_;
  double t_, from_, to_;
  bool built_ = false;
  std::size_t samples_ = 0;
  std::vector<double> s_re_, s_im_, value_re_, value_im_, off_, off_by_d_;  // as ContourSamples has them
  Rule rule_{};
};

/// Upper bound of t log|1 + G(s)| between the points a and b of a hyperbola, where s is small, |s| at most `size`.
double log_power_near_zero(const LognormalTransform& transform, double t, std::complex<double> a,
                           std::complex<double> b, double size);

}  // namespace hockeystick
