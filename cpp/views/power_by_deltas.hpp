// SPDX-License-Identifier: Apache-2.0
// True positive rates from deltas: power(x) is the smallest value of h(alpha) + alpha x, so that a few deltas about the
// loss at which a test of rate x decides enclose it, and a few hundred answer any number of rates.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "plan/saddlepoint.hpp"
#include "views/curve_points.hpp"

namespace hockeystick {

/// The part of the allowed width of a power that is for delta at each point.
inline constexpr double for_delta = 0.12;

/// A guess of the ratio of misses to hits of a test that decides at a saddle; at most 1.
double missed_share(const Saddle& at);

/// The point of the curve that is wanted where the loss decides at a saddle.
struct PointNeeds {
  double distance;   // [nats] to the next point; the error of the power falls with its square
  double tolerance;  // of the lesser error rate
};
using NeedsAt = std::function<PointNeeds(const Saddle& at)>;

/// Points for tests that decide between these two saddles, the first at lower losses, with three more at either end;
/// none if there were more than some thousand. A guess.
std::vector<WantedPoint> points_between(const Saddlepoint& saddlepoint, const Saddle& from, const Saddle& to,
                                        const NeedsAt& needs);

/// Adds points that may narrow the power to within `allowed`: beyond the ends if the least sum may lie there, else
/// closer to the least sum, and to closer tolerances.
void add_points(std::span<const CurvePoint> points, const PowerBetween& found, double allowed,
                std::vector<WantedPoint>& wanted);

/// The losses at which tests at a false positive rate in (0, 1) decide.
Saddle deciding_saddle(const Saddlepoint& saddlepoint, double fpr);

/// Raises the lower ends of answers that have not converged: at rates in (0, 1) where the power is likely to be 1 -
/// `missed`, and at few rates of one release.
void power_next_to_one(const Saddlepoint& saddlepoint, const Direction& direction, std::span<const double> fprs,
                       double missed, const Limits& limits, std::span<Answer> answers);

/// Narrows the answers to rates until they are as narrow as allowed, or further deltas do not help.
void power_by_deltas(const Saddlepoint& saddlepoint, CurvePoints& curve, std::span<const double> fprs, double tolerance,
                     const AllowedWidth& allowed, std::span<Answer> answers);

}  // namespace hockeystick
