// SPDX-License-Identifier: Apache-2.0
// The discretization interval for a tolerance. One rule: connect the dots adds d^2 / 6 to the variance of a step's loss
// and the midpoint tangents take d^2 / 12, so that the two sides lie N d^2 / 4 apart in variance after N steps. What
// differs is how much variance a question allows.
#pragma once

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// The interval at which the two sides lie `variance` apart, and at most a quarter of the deviation.
double interval_for_variance(const Saddlepoint& saddlepoint, double variance);

/// For delta at a saddle, to within log_tolerance relatively. A variance v moves log delta by v / 2 times the density
/// of the loss over delta, and 0.55 of the tolerance is the grid's. Coarser where atoms stay where they are.
double interval_for_delta(const Saddlepoint& saddlepoint, const Saddle& at, double log_tolerance);

/// Whether each step has a least loss, where most of the mass of one that rarely moves the loss lies, and no atoms:
/// then its grid has that mass on a point, and losses above those that a question knows of need no points of their own.
bool can_close(const Direction& direction);

/// For e^K at a tilt, to within log_tolerance relatively: v raises it by v tilt (1 + tilt) / 2.
double interval_for_moment(const Saddlepoint& saddlepoint, double tilt, double log_tolerance);

/// For the first transform of a question: the same, fine enough for deltas down to e^-log_margin times this one, and
/// for the atoms that no grid of this interval meets, whose error is of first order.
double first_interval(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at,
                      double log_tolerance, double log_margin);

/// For the tail at this saddle, to within `width` relatively: v moves it by v tilt (1 + tilt) / 2. Near an end of the
/// loss the tilt means little.
double interval_for_tail(const Saddlepoint& saddlepoint, const Saddle& at, double width);

/// For the power, or what it misses, at false positive rates from `smallest` to `largest`: at a rate kept, v moves the
/// logarithm of either by abs(tilt) v / 2, and half of the width is the grid's.
double interval_for_power(const Saddlepoint& saddlepoint, double smallest, double largest, double width);

/// For losses: chords of the curves place a quantile to within `width`, about the interval times sqrt(N).
double interval_for_quantile(const Saddlepoint& saddlepoint, double width);

/// For losses rounded to the grid, to within `width`: an error of first order in every step.
double interval_for_buckets(const Saddlepoint& saddlepoint, double width);

}  // namespace hockeystick
