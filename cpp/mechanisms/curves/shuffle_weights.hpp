// SPDX-License-Identifier: Apache-2.0
// How unevenly the first batch of a shuffled epoch tells where a record is (cpp/proofs/shuffled-first.md).
#pragma once

#include <cstdint>

namespace hockeystick {

/// The other batches' weights lie between two of mean 1, of which so many batches have the larger one, `high`, and the
/// others have `low`; but with the probability `mistaken`.
struct BatchWeights {
  std::int64_t highs, lows;
  double high, low, mistaken;
};

/// Of `others` batches, of `size` records each, whose contributions move a batch by nu at most in units of the noise.
/// As close as a probability of `mistaken`, in (0, 1), allows; `highs` is 0 where nothing helps.
BatchWeights batch_weights(double nu, std::int64_t others, double size, double mistaken);

}  // namespace hockeystick
