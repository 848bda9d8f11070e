// SPDX-License-Identifier: Apache-2.0
// How often a Poisson subsample is cut down to a largest batch.
#pragma once

namespace hockeystick {

/// With K ~ Bin(n - 1, q) the number of other records in the sample, and B the largest batch.
struct Truncation {
  double room;  // P(K < B)
  double none;  // P(K >= B)
  double rate;  // of joining if K >= B: (B / n) P(Bin(n, q) > B) / P(K >= B)
};

/// Each value is within 1.01 u, unless the value itself or, for the rate, P(K >= B) is below 1e-300. n in [1, 1e9], B
/// >= 1, q in [0, 1]. Cost: about 80 sqrt(n q (1 - q)) terms.
Truncation truncation(double dataset_size, double q, double batch);

}  // namespace hockeystick
