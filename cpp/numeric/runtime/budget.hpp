// SPDX-License-Identifier: Apache-2.0
// The memory budget of one question: allocations that grow with the question are charged before they are touched.
#pragma once

#include <cstdint>
#include <new>

namespace hockeystick {

/// Thrown instead of an allocation that exceeds the budget; `bytes` is the total that would be held.
class OverBudget : public std::bad_alloc {
 public:
  explicit OverBudget(double bytes) : bytes_(bytes) {}
  double bytes() const { return bytes_; }
  const char* what() const noexcept override { return "memory_limit is too small"; }

 private:
  double bytes_;
};

/// Limits the bytes that its thread holds during its lifetime. A nested budget counts towards the outer one.
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

/// Charges bytes to the thread's budget, from before they are touched until its destruction; a copy charges as much
/// again. After the end of its budget or thread, it counts no more. Costs a few nanoseconds.
class Held {
 public:
  Held() = default;
  /// Throws OverBudget if the budget has fewer bytes left.
  explicit Held(double bytes);
  Held(const Held& other) : Held(other.bytes_) {}
  Held(Held&& other) noexcept;
  Held& operator=(Held other) noexcept;
  ~Held();

 private:
  double bytes_ = 0;
  std::uint64_t budget_ = 0;  // 0: none
};

}  // namespace hockeystick
