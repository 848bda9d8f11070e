// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace hockeystick {

/// A mutex that is free in a forked child, and what it guards whole, whatever the parent's threads were doing: fork()
/// waits until it is free, and holds it meanwhile. On platforms without fork() it is a std::mutex.
///
/// To be made while the library loads, so that no fork can fall into the making, and never destroyed, for threads may
/// run on while the process exits; whoever holds one must not take another.
class ForkSafeMutex {
 public:
  ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex&) = delete;
  ForkSafeMutex& operator=(const ForkSafeMutex&) = delete;

  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }
  /// The one made before it.
  ForkSafeMutex* before() const { return before_; }

 private:
  std::mutex mutex_;
  ForkSafeMutex* before_;
};

}  // namespace hockeystick
