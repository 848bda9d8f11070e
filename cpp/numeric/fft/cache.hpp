// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "numeric/fft/real_fft.hpp"

namespace hockeystick {

/// The plan for a size, made once and kept among the few most recently used ones: a plan costs several
/// transforms. Thread-safe; plans are immutable and live as long as anybody holds them. At most
/// 16 plans and 32 MiB stay; larger plans are made each time.
std::shared_ptr<const RealFft> shared_fft(std::size_t size);

}  // namespace hockeystick
