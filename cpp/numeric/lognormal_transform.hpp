// SPDX-License-Identifier: Apache-2.0
// The Laplace transform of a log-normal variable of mean 1, off the real axis, with an error bound.
#pragma once

#include <complex>
#include <vector>

namespace hockeystick {

/// A complex ball: |value - truth| <= error.
struct ComplexBall {
  std::complex<double> value;
  double error;
};

/// G(s) = E e^(-s (Y - 1)) - 1 for Y = e^(mu x - mu^2 / 2), x standard normal, so that E e^(-s Y) = e^-s (1 + G(s)).
///
/// G(s) = E F(s (Y - 1)) with F(z) = e^-z - 1 + z, as E Y = 1. The trapezoid rule of step d integrates on the line x =
/// v - i y0, 2 mu y0 <= pi / 2. For Re s, Im s >= 0 and 0 <= y <= 2 y0, Re(s Y) >= 0 at x = v - i y, so that |F| is at
/// most e^(Re s) + 1 + |s| (|Y| + 1) and at most e^(Re s) |s|^2 (|Y| + 1)^2 / 2 there, and |phi(x)| = phi(v) e^(y^2 /
/// 2). The rule is off by 2 N / (e^(2 pi y0 / d) - 1), N the largest integral of the modulus along a line of the strip
/// (Trefethen & Weideman 2014, Theorem 5.1). For real s another line and strip, |y| <= b, mu b <= pi / 2, need fewer
/// nodes.
class LognormalTransform {
 public:
  /// 1e-3 <= mu <= 5.
  explicit LognormalTransform(double mu);

  /// Re s > 0, Im s >= 0, |s| <= 1e100.
  ComplexBall centred(std::complex<double> s) const;

  /// log E e^(-c (Y - 1)), c > 0, rounded up.
  double log_moment_above(double c) const;

  /// The variance of Y, e^(mu^2) - 1, rounded up.
  double variance() const { return variance_; }
  double mu() const { return mu_; }

  std::size_t nodes() const { return weight_re_.size(); }

 private:
  // Errors of the sum over a line, per unit of the bounds of F.
  struct Line {
    double strip, left, right;
    double left_out(double by_size, double by_square, double second) const;
  };
  struct Nodes {
    double step;
    int lowest, highest;
  };
  Nodes nodes_of(double half_width, double centre, Line& line) const;

  double mu_, variance_, second_;
  Line rotated_, real_;
  std::vector<double> weight_re_, weight_im_, weight_size_, y_re_, y_im_;  // of each node; y: Y - 1
  std::vector<double> weight_, y_;                                         // on the real line
};

}  // namespace hockeystick
