// SPDX-License-Identifier: Apache-2.0
// Smooths a hockey-stick curve from one side, so that contour sums of losses with atoms converge.
//
// h(alpha) = delta(log alpha) is convex. Let eta be normal, of mean 0 and variance v. With m such that
// E e^-(eta + m) = 1, Jensen's inequality gives h(alpha) <= E h(alpha e^-(eta + m)). And h(alpha) lies above its
// tangents: h(alpha) >= E [h(beta) + (alpha - beta) h'(beta)], beta = alpha e^-eta. Both differ from h by about v / 2
// times the loss density. On the contour they multiply each sample by a factor that falls like e^(-v w^2 / 2).
#pragma once

#include <complex>

namespace hockeystick {

class Smoothing {
 public:
  enum class Side { none, upper, lower };

  Smoothing() = default;  // none: every factor is 1
  Smoothing(Side side, double deviation);

  struct Factor {
    std::complex<double> value;
    double error;  // absolute, by rounding
  };
  /// The factors of samples on a line.
  class Line {
   public:
    Line(const Smoothing& smoothing, double tilt);
    Factor at(double frequency) const;

   private:
    Side side_;
    double variance_, tilt_, raised_;
  };

  /// Upper bound of |factor| at every z of this real part, |Im z| >= frequency.
  double bound(double tilt, double frequency) const;

  /// From `frequency` on the bound decreases at least like this power of 1 / frequency.
  double order(double frequency) const;

  double variance() const { return variance_; }

 private:
  double raised(double tilt) const;
  static double lifted(double raised, double b);

  Side side_ = Side::none;
  double variance_ = 0;  // [nats^2]
};

}  // namespace hockeystick
