// SPDX-License-Identifier: Apache-2.0
// Smoothing of a hockey-stick curve from one side, so that contour sums over losses with atoms end.
//
// h(alpha) = delta(log alpha) is convex. Let eta be a sum of six uniform variables on [-r, r]. With m such that
// E e^-(eta + m) = 1, Jensen's inequality gives h(alpha) <= E h(alpha e^-(eta + m)). And h(alpha) lies above its
// tangents: h(alpha) >= E [h(beta) + (alpha - beta) h'(beta)], beta = alpha e^-eta. Both differ from h by about r^2
// (loss density) at most. On the contour they multiply each sample by a factor that falls like 1 / |r z|^6.
#pragma once

#include <complex>

namespace hockeystick {

class Smoothing {
 public:
  enum class Side { none, upper, lower };

  Smoothing() = default;  // none: every factor is 1
  Smoothing(Side side, double radius);

  struct Factor {
    std::complex<double> value;
    double error;  // absolute, by rounding
  };
  Factor at(std::complex<double> z) const;

  /// Upper bound of |factor| |z|^power at every z of this real part, |Im z| >= frequency.
  double bound(double tilt, double frequency) const;

  /// By how many powers of the frequency the bound falls at least, from `frequency` on.
  double order(double frequency) const;

  /// What Jensen's inequality has losses raised by [nats].
  double shift() const { return shift_; }

 private:
  Side side_ = Side::none;
  double radius_ = 0, shift_ = 0;
};

}  // namespace hockeystick
