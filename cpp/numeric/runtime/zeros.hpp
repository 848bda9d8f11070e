// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {

/// So many zeros; where they are many, the system takes its time to find memory for them, and can be interrupted.
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
