// SPDX-License-Identifier: Apache-2.0
// The largest losses of a composition: the sums of those of its steps.
#pragma once

#include "mechanisms/composition.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// No finite loss of the composition is above this: the sum of the largest finite losses, rounded up unless exact; inf
/// if some pair has no largest one.
double largest_finite_loss(const Direction& direction);

/// No loss of the composition is above this: the same, but inf if a loss of +inf may have mass.
double largest_loss(const Direction& direction);

/// The essential supremum of the composition's loss: epsilon at delta = 0.
Interval essential_supremum(const Direction& direction);

/// Encloses how far the largest finite loss, as its bound is, lies above epsilon; inf if it has none.
Interval left_to_largest(const Direction& direction, double epsilon);

}  // namespace hockeystick
