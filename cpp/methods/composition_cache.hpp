// SPDX-License-Identifier: Apache-2.0
// Passes (transforms of a composition) of earlier questions. A plan depends on its question alone, and a pass on its
// plan, so that a kept pass equals the one that would be made: answers do not depend on earlier questions.
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
