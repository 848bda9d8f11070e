// SPDX-License-Identifier: Apache-2.0
// Lower bounds that attacks prove of a mechanism, from counts; each has its confidence.
#pragma once

#include <span>

namespace hockeystick {

/// Attacks on independent runs of a mechanism: how often the attack said "with the record" where the record was
/// present, and where it was not.
struct AttackCounts {
  double true_positives, false_negatives, false_positives, true_negatives;
};

/// Bounds of the rates that hold together with probability 1 - alpha: true positives from below, false positives and
/// false negatives from above.
struct AttackRates {
  double true_positives, false_positives, false_negatives;
};
AttackRates attack_rates(const AttackCounts& counts, double alpha);

/// An epsilon >= 0 below which no mechanism with these rates is (epsilon, delta)-DP.
double audited_epsilon(const AttackRates& rates, double delta);

/// A mu >= 0 below which no mechanism with these rates has Gaussian DP.
double audited_mu(const AttackRates& rates);

/// Guesses in one run in which each of `canaries` records was included with probability 1/2: `correct` of `guesses`
/// were right.
struct OneRun {
  double canaries, guesses, correct;
};

/// An upper bound of the probability of this many right guesses, of a mechanism that is (epsilon, delta)-DP
/// (Steinke, Nasr & Jagielski 2023).
double one_run_p_value(const OneRun& run, double epsilon, double delta);

/// An epsilon >= 0 at which that probability is below alpha, or 0.
double one_run_epsilon(const OneRun& run, double delta, double alpha);

/// Whether this many right guesses have a probability below `alpha` for every mechanism whose delta at each epsilon >=
/// 0, in both directions, is at most the delta given (Mahloujifar, Melis & Chaudhuri 2024).
bool one_run_refutes(const OneRun& run, std::span<const double> epsilon, std::span<const double> delta, double alpha);

}  // namespace hockeystick
