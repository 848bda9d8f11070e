// SPDX-License-Identifier: Apache-2.0
// A clock that never goes back.
#pragma once

#if defined(HOCKEYSTICK_SMALL_MODULE)  // in which std::chrono's clock brings the texts of all errors of the system
#include <ctime>
#else
#include <chrono>
#endif

namespace hockeystick {

/// Nanoseconds since some time.
inline double nanoseconds_now() {
#if defined(HOCKEYSTICK_SMALL_MODULE)
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
#else
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace hockeystick
