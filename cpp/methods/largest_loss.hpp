// SPDX-License-Identifier: Apache-2.0
// The largest losses of a composition: sums of the steps' largest losses.
#pragma once

#include "mechanisms/composition.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// No finite loss of the composition is above this: the sum of the largest finite losses, rounded up unless exact; inf
/// if some pair has no largest one.
double largest_finite_loss(const Direction& direction);

/// No loss of the composition is above this: the same sum, but inf if a loss of +inf may have mass.
double largest_loss(const Direction& direction);

/// The essential supremum of the composition's loss: epsilon at delta = 0.
Interval essential_supremum(const Direction& direction);

/// Encloses the distance from epsilon to the bound of the largest finite loss; inf if there is no bound.
Interval left_to_largest(const Direction& direction, double epsilon);

}  // namespace hockeystick
