// SPDX-License-Identifier: Apache-2.0
// The probability that at least one of many independent events happens.
#pragma once

namespace hockeystick {

/// Encloses 1 - product of (1 - t_j)^n_j, from bounds of the t_j. The product is stored as a logarithm, which
/// distinguishes a probability of 1 - 1e-20 from 1.
///
/// Rounding (proved): log1p and expm1 are within 4 u and two subnormal numbers; each product, sum and result is rounded
/// outwards. `upper` is 0 only if every t_j is.
class UnionProbability {
 public:
  /// An event of a probability in [lower, upper] happens independently in each of `count` runs.
  void add(double lower, double upper, double count);

  /// Below 1 unless one of the events is certain.
  double lower() const;
  double upper() const;

  /// Whether the probability certainly exceeds a given one, or certainly does not; distinguishes probabilities near 1,
  /// too.
  bool exceeds(double probability) const;
  bool is_at_most(double probability) const;

 private:
  double log_none_lower_ = 0, log_none_upper_ = 0;  // of the probability that no event happens
  bool certain_ = false;
};

}  // namespace hockeystick
