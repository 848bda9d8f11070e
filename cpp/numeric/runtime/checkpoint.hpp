// SPDX-License-Identifier: Apache-2.0
// Where long work can be interrupted. Included by files compiled for one instruction set: no std functions.
#pragma once

#include <cstddef>

namespace hockeystick {

/// What looks after long work now and then, in the thread that does it. It ends the work by throwing.
using Watch = void (*)();

/// While it lives, checkpoints of its thread call `watch`, some twenty times a second; null: nobody does.
class Watched {
 public:
  explicit Watched(Watch watch);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Watch before_;
};

/// To be passed about every millisecond by whatever may run long, where it may be left by an exception.
/// Costs a look at the clock, some 30 ns; nearly nothing where nobody watches.
void checkpoint();

/// The same in a loop, at one iteration i in `period`.
template <std::size_t period>
void checkpoint_each(std::size_t i) {
  if (i % period == period - 1) checkpoint();
}

}  // namespace hockeystick
