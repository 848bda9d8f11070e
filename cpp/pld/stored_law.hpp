// SPDX-License-Identifier: Apache-2.0
// The stored losses and masses as a probability law. Its statistics describe the stored law; unlike its hockey-stick
// curve, they bound nothing of the distribution behind it.
#pragma once

#include <vector>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The masses that `probabilities` shows and the mass at +inf; the rest of the probability counts as at -inf.
class StoredLaw {
 public:
  explicit StoredLaw(const LossPmf& pmf);

  /// P(L > epsilon).
  double tail(double epsilon) const;

  /// The smallest t with P(L <= t) >= level; -inf or inf where mass there decides.
  double quantile(double level) const;

  /// The variance of the finite losses; inf if mass is at +inf.
  double variance() const;

 private:
  std::vector<double> loss_, mass_;
  std::vector<double> above_;  // mass at loss_[k] and beyond, and in the end that at +inf
};

}  // namespace hockeystick
