// SPDX-License-Identifier: Apache-2.0
// How unevenly the first batch of a shuffled epoch tells where a record is (cpp/proofs/shuffled-first.md).
#pragma once

#include <cstdint>

namespace hockeystick {

/// The other batches' weights have the mean 1 and lie between `low` and `high`, but with the probability `mistaken`.
/// They are most uneven where `highs` of the batches have the weight `high` and `lows` of them have `low`.
struct BatchWeights {
  std::int64_t highs, lows;
  double high, low, mistaken;
};

/// The weights of `others` batches of `size` records each. A record's contribution moves the mean of a batch by at most
/// nu, in units of the noise. `mistaken`, in (0, 1), is the probability that weights may lie outside; `highs` is 0
/// where no bound helps.
BatchWeights batch_weights(double nu, std::int64_t others, double size, double mistaken);

}  // namespace hockeystick
