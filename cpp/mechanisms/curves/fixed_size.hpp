// SPDX-License-Identifier: Apache-2.0
// The effect of the other records on a batch of fixed size, at single false positive rates.
#pragma once

namespace hockeystick {

/// A Gaussian mechanism on a batch that holds the replaced record with probability `rate`, and not twice: mu is within
/// 2 u and the rate within u. The record is 1 and the other one 0 in its place, in units of mu; `back`: the reverse.
/// All others are the same number, up to 1 and not below `least`, which is -1, or 0 if any record replaces any other.
struct FixedBatch {
  double mu, rate, least;
  bool back;
};

/// A lower bound of the power at a false positive rate, for other records whose values all share one best event; 0
/// where no such records exist.
double power_of_same_events(const FixedBatch& batch, double fpr);

}  // namespace hockeystick
