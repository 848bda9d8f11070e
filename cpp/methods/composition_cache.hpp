// SPDX-License-Identifier: Apache-2.0
// Passes of earlier questions. Plans are functions of the question alone, and a pass is a function of its plan, so that
// a pass found here is the one that would be made: answers do not depend on what was asked before.
#pragma once

#include <cstddef>
#include <memory>

#include "methods/fft_composition.hpp"

namespace hockeystick {

/// The pass of this plan for these pairs, made unless a recent question made it. Thread-safe; two threads may both make
/// one. At most 64 passes and 32 MiB stay, none above 8 MiB, and a pass is not found once a pair of its direction is
/// gone.
std::shared_ptr<const FftComposition> cached_composition(const Direction& direction, const Plan& plan,
                                                         const Saddle& at);

struct CompositionCache {
  std::size_t count, bytes;
};
CompositionCache composition_cache();
void forget_compositions();

}  // namespace hockeystick
