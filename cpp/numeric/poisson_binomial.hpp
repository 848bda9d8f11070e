// SPDX-License-Identifier: Apache-2.0
// The law of the number of heads of independent coins.
#pragma once

#include <span>
#include <vector>

namespace hockeystick {

/// The probabilities of 0, 1, ..., n heads of n coins with these probabilities in [0, 1], each within 1.01 u of itself
/// or, below 1e-290, 0; those of the most heads come last. Exact zeros only where a coin always shows heads.
struct HeadsLaw {
  std::vector<double> masses;
  double cut = 0;  // upper bound of the sum of the probabilities that are not 0 and count as 0
};
HeadsLaw heads_law(std::span<const double> probabilities);

}  // namespace hockeystick
