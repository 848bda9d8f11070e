// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/fork_safe_mutex.hpp"

#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)
#include <new>
#include <pthread.h>
#define HOCKEYSTICK_HAS_FORK
#endif

namespace hockeystick {
namespace {

ForkSafeMutex* last = nullptr;  // constant-initialized, before the first mutex

#ifdef HOCKEYSTICK_HAS_FORK
void lock_all() {
  for (ForkSafeMutex* mutex = last; mutex != nullptr; mutex = mutex->before()) mutex->lock();
}

void unlock_all() {
  for (ForkSafeMutex* mutex = last; mutex != nullptr; mutex = mutex->before()) mutex->unlock();
}
#endif

}  // namespace

ForkSafeMutex::ForkSafeMutex() : before_(last) {
#ifdef HOCKEYSTICK_HAS_FORK
  if (last == nullptr && pthread_atfork(&lock_all, &unlock_all, &unlock_all) != 0) throw std::bad_alloc();
#endif
  last = this;
}

}  // namespace hockeystick
