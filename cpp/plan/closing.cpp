// SPDX-License-Identifier: Apache-2.0
#include "plan/closing.hpp"

#include <algorithm>

#include "plan/tuning.hpp"

namespace hockeystick {
namespace {

constexpr double steepest = 1e9;  // tilt at which the least sum of the other losses is looked for

}  // namespace

// Most steps of the run hardly change the loss, and they determine the least sum of the losses.
Closing closing_at(const Direction& direction, const Saddlepoint& whole, double epsilon, double log_lost) {
  double least = 0;
  for (const Term& term : direction) least += static_cast<double>(term.count) * term.pair->loss_infimum();
  const ChernoffQuantile below = whole.chernoff_quantile(0, std::max(1.0, -log_lost), -1, steepest);
  Closing closing{0, least, 0};
  // The certain least sum serves unless Chernoff's inequality gives a much higher one.
  if (-least > epsilon && 1.2 * below.loss > 0.5 * least && below.tilt < -2)
    closing = {0, 1.2 * below.loss, -below.tilt};
  closing.top = tuning::closing_margin * (epsilon - closing.least);
  return closing;
}

}  // namespace hockeystick
