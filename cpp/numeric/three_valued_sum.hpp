// SPDX-License-Identifier: Apache-2.0
// Means of the positive part of a sum of independent terms that take three values, enclosed by exact binomial sums:
// cpp/proofs/three-valued-sum.md.
#pragma once

#include <utility>
#include <vector>

#include "numeric/binomial.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The numbers of successes in n <= 1e9 trials that are likely, and their probabilities.
struct LikelyCounts {
  double first;                 // the probabilities of this number, of the next one and so on
  std::vector<double> weights;  // within `error` of themselves
  double error;
  double below, above, mean_above;  // at most P(M < first), P(M > last) and E(M; M > last) / n

  /// About `cut` of the probability may be left out. Both probabilities of a trial, within 32 u of themselves.
  LikelyCounts(double trials, double success, double failure, double cut);
};

/// loss <= rest <= 0 < gain, each within 16 u of gain - loss - rest of its truth.
struct ThreeValues {
  double gain, loss, rest;
};

/// The law of Z_1 + ... + Z_n, n <= 1e9, by how many of the terms are `gain` or `loss`. Of all probabilities, which are
/// within 32 u of themselves, the complement is given, too, as one of them may be next to 1.
class ThreeValuedSum {
 public:
  /// Each term is `gain` with probability ends / 2, `loss` as often, else `rest`.
  static ThreeValuedSum even(double terms, double ends, double others, double cut);
  /// Each term is `gain` or `loss`.
  static ThreeValuedSum of_two(double terms, double gain, double loss);

  /// E (Z_1 + ... + Z_n + offset)_+ / n.
  Interval positive_part(const ThreeValues& values, double offset = 0) const;

  double size() const { return static_cast<double>(ends_.weights.size()); }

 private:
  ThreeValuedSum(double terms, const Chance& share, LikelyCounts ends)
      : terms_(terms), share_(share), ends_(std::move(ends)) {}

  double terms_;
  Chance share_;       // of gains among gains and losses
  LikelyCounts ends_;  // of gains and losses
};

}  // namespace hockeystick
