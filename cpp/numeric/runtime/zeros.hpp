// SPDX-License-Identifier: Apache-2.0
// Large arrays of zeros, allocated in steps that can be interrupted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {

/// An array of zeros; the operating system takes long to find memory for many, so this can be interrupted.
inline std::vector<double> zeros(std::size_t count) {
  constexpr std::size_t piece = 1 << 20;
  std::vector<double> result;
  result.reserve(count);
  while (result.size() < count) {
    result.resize(std::min(count, result.size() + piece), 0.0);
    if (count > piece) checkpoint();
  }
  return result;
}

}  // namespace hockeystick
