// SPDX-License-Identifier: Apache-2.0
// Sums of independent log-normal variables: their transform, by which contours invert it.
#pragma once

#include <complex>
#include <vector>

#include "numeric/lognormal_transform.hpp"

namespace hockeystick {

/// `count` independent copies of scale * Y, Y = e^(mu x - mu^2 / 2), x standard normal.
struct LognormalPart {
  double scale, count;
};

/// A sum S of parts, m = E S, and g(s) = E e^(-s (S - m)), the product of (1 + G(scale s))^count.
class LognormalSum {
 public:
  LognormalSum(const LognormalTransform& transform, std::vector<LognormalPart> parts);

  const LognormalTransform& transform() const { return transform_; }
  const std::vector<LognormalPart>& parts() const { return parts_; }
  double mean() const { return mean_; }
  double largest_scale() const { return largest_; }
  /// Rounded up.
  double deviation() const { return deviation_; }

  /// log|g| and arg g, within `wrong`; log_size is an upper bound where g is hardly known.
  struct Power {
    double log_size = 0, turn = 0, wrong = 0;
    bool is_known = true;
  };
  /// At s, which is off by `off`.
  Power power(std::complex<double> s, double off) const;

  /// log g(c), c > 0, rounded up.
  double log_moment_above(double c) const;

 private:
  const LognormalTransform& transform_;
  std::vector<LognormalPart> parts_;
  double mean_ = 0, largest_ = 0, deviation_ = 0;
};

/// What is asked of a sum: P(S <= K), of order 1 in the transform, or put(K) = E (K - S)_+, of order 2.
enum class Kind { probability, put };

}  // namespace hockeystick
