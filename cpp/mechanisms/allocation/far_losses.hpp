// SPDX-License-Identifier: Apache-2.0
// What pairs above and below the curve of a random allocation count at +inf or leave out: its Renyi divergences, and
// its mass at +inf, by those of a step (cpp/proofs/far-losses.md).
#pragma once

#include <memory>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Encloses the moments of the loss and its mass at +inf; its cells tell nothing. `back`: `step` is without the record
/// against with it, and so is the result.
std::shared_ptr<const DominatingPair> allocated_moments(std::shared_ptr<const DominatingPair> step, double steps,
                                                        bool back);

/// A pair whose Renyi divergences lie above, from a discrete one above the curve: its mass at +inf counts as what
/// losses beyond its others may add. With steps = 1, of any curve whose moments are at most those of `step`.
std::shared_ptr<const DominatingPair> with_far_losses(std::shared_ptr<const DominatingPair> curve,
                                                      std::shared_ptr<const DominatingPair> step, double steps,
                                                      bool back);

}  // namespace hockeystick
