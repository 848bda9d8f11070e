// SPDX-License-Identifier: Apache-2.0
// The Laplace transform of a log-normal variable of mean 1, off the real axis, with an error bound.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <vector>

#include "numeric/fft/tables.hpp"
#include "numeric/simd/cpu.hpp"

namespace hockeystick {

/// A complex ball: |value - truth| <= error.
struct ComplexBall {
  std::complex<double> value;
  double error;
};

/// G(s) = E e^(-s (Y - 1)) - 1 for Y = e^(mu x - mu^2 / 2), x standard normal, so that E e^(-s Y) = e^-s (1 + G(s)),
/// and for arg s beyond pi / 2 the continuation of G.
///
/// G(s) = E F(s (Y - 1)) with F(z) = e^-z - 1 + z, as E Y = 1. The trapezoid rule of step d integrates on the line x =
/// v - i c, about which the strip c - b <= y <= c + b, x = v - i y, turns s Y by mu y to within pi / 2 of the real
/// axis: Re(s Y) >= 0. So |F| is at most e^r + 1 + |s| (|Y| + 1) there, and at most e^r |s|^2 |Y - 1|^2 / 2, r =
/// max(Re s, 0), and |phi(x)| = phi(v) e^(y^2 / 2). The rule is off by 2 N / (e^(2 pi b / d) - 1), N the largest
/// integral of the modulus along a line of the strip (Trefethen & Weideman 2014, Theorem 5.1). Each sector of arg s has
/// its line.
class LognormalTransform {
 public:
  /// 1e-3 <= mu <= 5.
  explicit LognormalTransform(double mu, const SimdKernels& kernel = default_fft_kernel());

  /// 0 <= arg s <= 3 pi / 4, Re s <= 600, |s| <= 1e100; the error is infinite where no line serves.
  ComplexBall centred(std::complex<double> s) const;

  struct WithSlope {
    ComplexBall value, slope;
  };
  /// G and its derivative, so that -d/ds E e^(-s Y) = E Y e^(-s Y) = e^-s (1 + G - G').
  WithSlope with_slope(std::complex<double> s) const;

  /// log E e^(-c (Y - 1)), c > 0, rounded up.
  double log_moment_above(double c) const;

  /// A guess: the angle mu y by which the line x - i y turns Y where the integral of |phi(x) e^(-s Y)| is least.
  double steepest_angle(std::complex<double> s) const;

  /// The variance of Y, e^(mu^2) - 1, rounded up.
  double variance() const { return variance_; }
  double mu() const { return mu_; }
  const SimdKernels& kernel() const { return kernel_; }

  /// A line for angles of s in [from, to] and the errors of sums over it, per unit of the bounds of F: nodes are the
  /// multiples of `step` from `lowest` on, `centre` and `half_width` are c and b.
  struct Line {
    double from = 0, to = 0, centre = 0, half_width = 0, step = 0;
    int lowest = 0;
    double strip = 0, left = 0, right = 0;
    double strip_square = 0, left_square = 0, right_square = 0;
    std::vector<double> weight_re, weight_im, size, y_re, y_im;  // of each node, a multiple of 8; y_re, y_im: Y - 1
    std::vector<double> y;                                       // |Y|

    LognormalNodes view() const {
      return {weight_re.data(), weight_im.data(), size.data(), y_re.data(), y_im.data(), size.size()};
    }
    double left_out(double by_size, double by_square) const;
  };
  /// The one for real s.
  const Line& real_line() const { return lines_.front(); }

 private:
  void place(Line& line) const;
  const Line* line_of(std::complex<double> s) const;

  const SimdKernels& kernel_;
  double mu_, variance_;
  std::array<Line, 5> lines_;
};

}  // namespace hockeystick
