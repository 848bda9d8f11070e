// SPDX-License-Identifier: Apache-2.0
// How closely pairs above and below a curve follow it: at first, and after answers that are too far apart.
#pragma once

#include <cstdint>

#include "mechanisms/described.hpp"

namespace hockeystick {

/// Pairs whose tails are below the first are made by convolution; no pair has tails below the second.
inline constexpr double least_of_series = 5e-17, least_tail = 1e-303;

/// The largest of the tails 2^-54 2^(8 k) that is at most `tail`, so that questions about nearby deltas share their
/// pairs.
double rung(double tail);

/// Initial accuracy, expected to meet `tolerance` at a delta of `smallest` after `runs` runs.
Accuracy starting_accuracy(double tolerance, double smallest, std::int64_t runs);

/// Chooses how closely the next pairs follow their curves. The gap by cells falls with the square of their number, and
/// the width of the sides' own answers stays: the number of cells leaves a gap below the rest of the tolerance. At
/// first, and where more cells gained less than expected, tails are made smaller as well, unless they `cannot_count`,
/// as all deltas are far above them. Where convolutions take over, a smaller tail is tried before more cells.
class Refinement {
 public:
  explicit Refinement(double tolerance) : tolerance_(tolerance) {}

  /// The accuracy after `at` left a relative gap, `of_sides` of which comes from the sides' own answers.
  Accuracy finer(const Accuracy& at, double gap, double of_sides, bool cannot_count);

 private:
  double tolerance_, expected_ = 0;  // the gap that cells are expected to leave at most
};

}  // namespace hockeystick
