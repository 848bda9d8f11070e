// SPDX-License-Identifier: Apache-2.0
// Doubles as bits, without std::bit_cast, which the library of Emscripten 3 lacks.
#pragma once

#include <cstdint>
#include <cstring>

namespace hockeystick {

inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline double double_of(std::uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace hockeystick
