// SPDX-License-Identifier: Apache-2.0
// A cache of plans for Fourier transforms.
#pragma once

#include <memory>

#include "numeric/fft/real_fft.hpp"

namespace hockeystick {

/// The plan for a size, from a cache of the most recently used ones: making a plan costs several transforms.
/// Thread-safe; plans are immutable and live as long as they are referred to. The cache keeps at most 64 plans and 32
/// MiB; larger plans are made each time.
std::shared_ptr<const RealFft> shared_fft(std::size_t size);

}  // namespace hockeystick
