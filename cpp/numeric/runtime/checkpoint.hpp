// SPDX-License-Identifier: Apache-2.0
// Points at which long work can be interrupted. Included by files compiled for one instruction set: no std functions.
#pragma once

#include <cstddef>

namespace hockeystick {

/// A function called now and then during long work, in its thread. It ends the work by throwing.
using Watch = void (*)();

/// During its lifetime, checkpoints of its thread call `watch` about twenty times a second; null: no calls.
class Watched {
 public:
  explicit Watched(Watch watch);
  ~Watched();
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  Watch before_;
};

/// Long work must call this about every millisecond, at places that an exception may leave. Costs a look at the clock,
/// about 30 ns; nearly nothing without a watch.
void checkpoint();

/// The same in a loop, at one iteration i in `period`.
template <std::size_t period>
void checkpoint_each(std::size_t i) {
  if (i % period == period - 1) checkpoint();
}

}  // namespace hockeystick
