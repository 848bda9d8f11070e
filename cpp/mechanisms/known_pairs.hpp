// SPDX-License-Identifier: Apache-2.0
// The pairs of described mechanisms: one object for equal ones.
#pragma once

#include <cstddef>
#include <memory>

#include "mechanisms/described.hpp"
#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// The pair of that name and parameters: as long as anybody holds it, the same object. The last few are held here.
std::shared_ptr<const DominatingPair> known_pair(const PairName& name);

/// How many pairs are held here, and the bytes of their tables.
struct HeldPairs {
  std::size_t number;
  double bytes;
};
HeldPairs held_pairs();

}  // namespace hockeystick
