// SPDX-License-Identifier: Apache-2.0
// Forecasts for runs in which one large loss determines delta: delta(epsilon) is then about the sum over all steps of
// their own delta, moved by the other losses, whose sum is about normal. Moments forecast far too large a delta.
#pragma once

#include <optional>

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// A point of the curve; slope = -d log delta / d epsilon.
struct LargeLoss {
  double epsilon, log_delta, slope;
};

/// The point at an epsilon, for steps of one kind. Empty if one large loss does not determine delta there, or delta is
/// not below e^log_most.
std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most);

/// The point at which delta is e^log_delta. Empty if one large loss does not determine delta there.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta);

}  // namespace hockeystick
