// SPDX-License-Identifier: Apache-2.0
// A step that is chosen from a menu by looking at earlier outputs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// A pair above each of the given ones, by the largest of their curves at e^loss for each loss: close where losses are
/// dense, and where each kink is one (cpp/proofs/menu-curve.md). At least two losses.
std::shared_ptr<const DominatingPair> menu_pair(std::span<const std::shared_ptr<const DominatingPair>> pairs,
                                                std::span<const double> losses);

}  // namespace hockeystick
