// SPDX-License-Identifier: Apache-2.0
// The work that one question may do. It is counted in nanoseconds of the cost model (plan/cost.hpp) and never by a
// clock, so that no answer depends on the machine or its load.
#pragma once

#include "numeric/runtime/budget.hpp"

namespace hockeystick {

/// Thrown where more work would be begun than is left; caught where an OverBudget is.
class OverWork : public OverBudget {
 public:
  OverWork() : OverBudget(0) {}
  const char* what() const noexcept override { return message; }

  static constexpr const char* message = "the work of one question does not suffice";
};

/// During its lifetime, its thread may begin work of this cost. A nested limit also takes from the outer one.
class WorkLimit {
 public:
  explicit WorkLimit(double cost);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

  /// The cost that is left; inf without a limit.
  static double left();
  /// Subtracts this cost from the cost that is left, and returns true. Where less is left, this function subtracts
  /// nothing and returns false, and the caller must not begin the work.
  static bool take(double cost);
  /// The same, but throws OverWork where less is left.
  static void spend(double cost) {
    if (!take(cost)) throw OverWork();
  }
  /// The cost of all work that this thread ever took.
  static double taken();

 private:
  double before_, given_;
};

}  // namespace hockeystick
