// SPDX-License-Identifier: Apache-2.0
// Many independent questions in several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace hockeystick {

/// Calls work(k) for each k below n, from the least on, in at most `threads` threads, of which the caller's is one; in
/// fewer where the system has no more. The first exception ends the work of all, at their next checkpoints, and is
/// thrown once they have ended; so does the watch of the caller's thread, the only one that is asked.
void in_threads(std::size_t n, std::int64_t threads, const std::function<void(std::size_t)>& work);

}  // namespace hockeystick
