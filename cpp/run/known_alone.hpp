// SPDX-License-Identifier: Apache-2.0
// Bounds for runs of one kind of mechanism alone, in addition to pairs above and below.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/described.hpp"
#include "numeric/interval.hpp"
#include "run/enclosing.hpp"

namespace hockeystick {

/// Ends at each point for an epoch of a random allocation of Gaussians, for runs of zero-concentrated mechanisms, for
/// shuffled epochs, and for the power of a batch of fixed size. Empty where the run is none of these.
std::vector<Interval> known_alone(std::span<const DescribedTerm> terms, Wanted wanted,
                                  std::span<const Comparison> comparisons, std::span<const double> points,
                                  double tolerance);

}  // namespace hockeystick
