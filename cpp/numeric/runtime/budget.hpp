// SPDX-License-Identifier: Apache-2.0
// The memory of one question: whatever grows with a question is charged to its budget before it is touched.
#pragma once

#include <cstdint>
#include <new>

namespace hockeystick {

/// Thrown in place of an allocation that the budget has no room for; `bytes` is what it takes with all that is held.
class OverBudget : public std::bad_alloc {
 public:
  explicit OverBudget(double bytes) : bytes_(bytes) {}
  double bytes() const { return bytes_; }
  const char* what() const noexcept override { return "memory_limit is too small"; }

 private:
  double bytes_;
};

/// While it lives, its thread holds no more than so many bytes. One inside another counts with the outer one.
class Budget {
 public:
  explicit Budget(double bytes);
  ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  /// Bytes that the thread may still take; inf without a budget.
  static double left();

 private:
  bool outer_;
};

/// What is made while it lives is for a cache: it is charged as ever, but at the end none of it counts any more. So a
/// question holds as much whether it found a thing in a cache or made it.
class MakingForCache {
 public:
  MakingForCache();
  ~MakingForCache();
  MakingForCache(const MakingForCache&) = delete;
  MakingForCache& operator=(const MakingForCache&) = delete;

  /// The most bytes that were held at once for it so far.
  double most() const;

  /// Throws OverBudget where there is no room for so many bytes, as making would.
  static void check(double bytes);

 private:
  double held_before_, most_before_;
  std::uint64_t name_before_;
};

/// So many bytes of the thread's budget, from before they are touched until it goes; a copy holds as many again. What
/// outlives its budget, or its thread, is no longer counted. Costs a few nanoseconds.
class Held {
 public:
  Held() = default;
  /// Throws OverBudget if there are not so many left.
  explicit Held(double bytes);
  Held(const Held& other) : Held(other.bytes_) {}
  Held(Held&& other) noexcept;
  Held& operator=(Held other) noexcept;
  ~Held();

  /// It says nothing of what is held.
  bool operator==(const Held&) const { return true; }

 private:
  double bytes_ = 0;
  std::uint64_t budget_ = 0;  // 0: none
};

}  // namespace hockeystick
