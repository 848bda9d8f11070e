// SPDX-License-Identifier: Apache-2.0
// A composition: dominating pairs and the number of times that each is run.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// A dominating pair and how often it is composed.
struct Term {
  std::shared_ptr<const DominatingPair> pair;
  std::int64_t count;

  bool operator==(const Term&) const = default;
};

/// The terms of one direction of an adjacency; the answer is for the worst direction.
using Direction = std::vector<Term>;

/// Whether it is one release.
inline bool runs_once(const Direction& direction) { return direction.size() == 1 && direction.front().count == 1; }

}  // namespace hockeystick
