// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "account/question.hpp"

namespace hockeystick {

/// Encloses epsilon at `delta` by the largest losses of a run alone: [0, inf] where they say nothing, and tight to the
/// tolerance where delta is far below the probability that every step has about its largest finite loss.
CertifiedInterval epsilon_by_largest_losses(const Direction& direction, double delta, double tolerance);

/// No loss of the composition is above this: inf, or the sum of the largest finite losses, rounded up unless exact.
double largest_loss(const Direction& direction);

/// Lower bound of the probability of a loss of +inf: 1 - product of (1 - t_j)^n_j.
double leak_below(const Direction& direction);

}  // namespace hockeystick
