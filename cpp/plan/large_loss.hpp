// SPDX-License-Identifier: Apache-2.0
// Where one large loss decides, delta(epsilon) is about the sum over all steps of their own, all smaller losses about
// normal: forecasts that moments have far too large. No bound rests on them.
#pragma once

#include <optional>

#include "plan/saddlepoint.hpp"

namespace hockeystick {

/// A point of the curve, and -d log delta / d epsilon there.
struct LargeLoss {
  double epsilon, log_delta, slope;
};

/// Of steps of one kind, at an epsilon; nothing where it is too small for that, or delta is not below e^log_most.
std::optional<LargeLoss> large_loss_at(const Saddlepoint& saddlepoint, double epsilon, double log_most);

/// Where delta is e^log_delta; nothing where epsilon is too small for that.
std::optional<LargeLoss> large_loss_of(const Saddlepoint& saddlepoint, double log_delta);

}  // namespace hockeystick
