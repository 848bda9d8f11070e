// SPDX-License-Identifier: Apache-2.0
#include "numeric/runtime/checkpoint.hpp"

#include "numeric/runtime/clock.hpp"

namespace hockeystick {
namespace {

constexpr double period = 50e6;  // nanoseconds

thread_local Watch current = nullptr;
thread_local double due = 0;

}  // namespace

Watched::Watched(Watch watch) : before_(current) {
  current = watch;
  if (watch != nullptr) due = nanoseconds_now() + period;
}

Watched::~Watched() { current = before_; }

void checkpoint() {
  if (current == nullptr) return;
  const double now = nanoseconds_now();
  if (now < due) return;
  current();
  due = now + period;
}

}  // namespace hockeystick
