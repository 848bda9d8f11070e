// SPDX-License-Identifier: Apache-2.0
// The upper tail of a sum of log-normal variables, by a contour that bends to the left.
#pragma once

#include <array>
#include <complex>
#include <cstddef>

#include "mechanisms/allocation/lognormal_sum.hpp"
#include "numeric/interval.hpp"
#include "numeric/sampled_contour.hpp"

namespace hockeystick {

/// f(d) = call(m + d) = E (S - m - d)_+, of order 2, or P(S > m + d), of order 1, for d in [from, to], from > 0, by the
/// trapezoid rule on a hyperbola s(u) = a (1 + sin(i u - alpha)) about the negative axis, where G is cut:
///     call(m + d) = (1 / 2 pi i) integral of f(s) ds,     f(s) = e^(s d) (g(s) - 1) / s^2,
/// as g alone gives put, and 1 gives d; with 1 / s it gives -P(S > m + d). The rule is off by
/// (M(-w) + M(w)) / (e^(2 pi w / h) - 1), M(v) the integral of |f s'| / 2 pi along the hyperbola with alpha + v. Few
/// nodes serve any d of several deviations.
class LognormalHyperbola {
 public:
  /// `accuracy`: of f, about. Not built where it would take many nodes.
  LognormalHyperbola(const LognormalSum& sum, Kind kind, double from, double to, double accuracy);

  bool built() const { return built_; }
  std::size_t samples() const { return built_ ? samples_.size() : 0; }

  /// Encloses f(d), d in the range; of one that is built.
  Interval at(double d) const;

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
  double log_power(const Arm& arm, const Point& a, const Point& b, bool is_sampled) const;
  double beyond(const Arm& arm, const Point& at, double& rate) const;
  double modulus(const Arm& arm) const;
  bool sample(const Arm& arm, double spacing, double part);

  const LognormalSum& sum_;
  Kind kind_;
  double from_, to_;
  bool built_ = false;
  SampledContour samples_;
  Rule rule_{};
};

/// Upper bound of t log|1 + G(s)| between the points a and b of a hyperbola, where s is small, |s| at most `size`.
double log_power_near_zero(const LognormalTransform& transform, double t, std::complex<double> a,
                           std::complex<double> b, double size);

}  // namespace hockeystick
