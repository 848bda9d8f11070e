// SPDX-License-Identifier: Apache-2.0
// A mutex that survives fork().
#pragma once

#include "numeric/runtime/mutex.hpp"

namespace hockeystick {

/// A mutex that is free in a forked child, with the data that it guards intact, whatever the parent's threads were
/// doing: fork() waits until the mutex is free, and holds it meanwhile. On platforms without fork() it is a Mutex.
///
/// Must be constructed while the library loads, so that no fork can happen during the construction, and never
/// destroyed, as threads may run on while the process exits. A thread that holds one must not lock another.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  /// The mutex constructed before this one.
  ForkSafeMutex* before() const { return before_; }

 private:
  Mutex mutex_;
  ForkSafeMutex* before_;
};

}  // namespace hockeystick
