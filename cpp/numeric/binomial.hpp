// SPDX-License-Identifier: Apache-2.0
// Binomial probabilities, enclosed: cpp/proofs/binomial-tails.md.
#pragma once

#include "numeric/interval.hpp"

namespace hockeystick {

/// A probability p in (0, 1), q = 1 - p, and their logarithms, each within 4 u of itself.
struct Chance {
  double p, q, log_p, log_q;

  static Chance of(double p);
  /// e^epsilon / (1 + e^epsilon), epsilon in [0, 700].
  static Chance of_odds(double epsilon);
};

/// Trials, at most 1e9, as a double.
inline constexpr double most_trials = 1e9;

/// log P(X = k) for X ~ Bin(n, p), 0 <= k <= n.
Ball log_binomial(double k, double n, const Chance& chance);

/// The sum of P(X = j) / P(X = k) over j from k on, upwards or downwards, where these fall, and its relative error;
/// `rest` bounds the terms that were left out.
struct RatioSum {
  double value, error, rest;
};
RatioSum sum_of_ratios(double k, double n, const Chance& chance, bool up);

/// P(X >= k), P(X <= k).
Interval binomial_at_least(double k, double n, const Chance& chance);
Interval binomial_at_most(double k, double n, const Chance& chance);

/// A rate at which `successes` of `trials`, or fewer, have a probability of at most `alpha`: the upper limit of Clopper
/// and Pearson, rounded up. alpha in (0, 1), 0 <= successes <= trials.
double rate_above(double successes, double trials, double alpha);

/// A rate at which `successes` of `trials`, or more, have a probability of at most `alpha`: the lower limit, rounded
/// down.
double rate_below(double successes, double trials, double alpha);

}  // namespace hockeystick
