// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/work.hpp"

#include <algorithm>

#include "numeric/constants.hpp"

namespace hockeystick {
namespace {

constinit thread_local double work_left = infinity, work_taken = 0;

}  // namespace

WorkLimit::WorkLimit(double cost) : before_(work_left), given_(std::min(work_left, cost)) { work_left = given_; }

// Without a limit nothing is subtracted: the difference of two infinities is no number.
WorkLimit::~WorkLimit() { work_left = given_ < infinity ? before_ - (given_ - work_left) : before_; }

double WorkLimit::left() { return work_left; }

bool WorkLimit::take(double cost) {
  if (!(cost <= work_left)) return false;
  if (cost < infinity) work_left -= cost, work_taken += cost;
  return true;
}

double WorkLimit::taken() { return work_taken; }

}  // namespace hockeystick
