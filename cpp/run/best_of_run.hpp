// SPDX-License-Identifier: Apache-2.0
// The best of a random number of runs, of a run that is known by its pairs.
#pragma once

#include "mechanisms/curves/best_of.hpp"
#include "run/run_curve.hpp"

namespace hockeystick {

/// A law that dominates the best run; for a Poisson number of runs the smaller of the bounds by ranks and by moments.
/// Both directions of `run` must be pairs that
/// dominate.
AtomicLaw best_of_run_above(const BothWays& run, const NumberOfRuns& runs, double cells, double tail);

/// A law that some scores attain where the run is attained. Of the scores tried, the function takes the one with the
/// largest delta where that is about `goal`.
AtomicLaw best_of_run_below(const BothWays& run, const NumberOfRuns& runs, double cells, double tail, double goal);

/// Upper bound of the largest loss of the best.
double best_of_largest(const BothWays& run, const NumberOfRuns& runs);

}  // namespace hockeystick
