// SPDX-License-Identifier: Apache-2.0
// What other records make of a batch of fixed size at single rates.
#pragma once

namespace hockeystick {

/// A Gaussian mechanism on a batch that holds the replaced record with probability `rate`, and not twice: mu is within
/// 2 u and the rate within u. The record is 1 and the other one 0 in its place, in units of mu; `back`: the reverse.
/// All others are the same number, up to 1 and not below `least`, which is -1, or 0 if any record replaces any other.
struct FixedBatch {
  double mu, rate, least;
  bool back;
};

/// A lower bound of the power at a false positive rate, by other records that have the same best event for all that
/// they are; 0 where there are none.
double power_of_same_events(const FixedBatch& batch, double fpr);

}  // namespace hockeystick
