// SPDX-License-Identifier: Apache-2.0
// std::mutex, where there are threads.
#pragma once

#include <mutex>

namespace hockeystick {

#if defined(__EMSCRIPTEN__) && !defined(__EMSCRIPTEN_PTHREADS__)
struct Mutex {  // std::mutex brings the texts of all errors of the system
  void lock() {}
  void unlock() {}
};
#else
using Mutex = std::mutex;
#endif

}  // namespace hockeystick
