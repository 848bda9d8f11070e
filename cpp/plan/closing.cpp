// SPDX-License-Identifier: Apache-2.0
#include "plan/closing.hpp"

#include <algorithm>

namespace hockeystick {
namespace {

// The top of closed steps, over the least that an epsilon asks for, and the tilts that tell the least loss of the
// others.
constexpr double closed_above = 1.02, steepest_closing = 1e9;

}  // namespace

// Most of the run are steps that hardly move the loss, and these decide its least losses.
Closing closing_at(const Direction& direction, const Saddlepoint& whole, double epsilon, double log_lost) {
  double least = 0;
  for (const Term& term : direction) least += static_cast<double>(term.count) * term.pair->loss_infimum();
  const ChernoffQuantile below = whole.chernoff_quantile(0, std::max(1.0, -log_lost), -1, steepest_closing);
  Closing closing{0, least, 0};
  // Where the least that is certain hardly matters it serves.
  if (-least > epsilon && 1.2 * below.loss > 0.5 * least && below.tilt < -2)
    closing = {0, 1.2 * below.loss, -below.tilt};
  closing.top = closed_above * (epsilon - closing.least);
  return closing;
}

}  // namespace hockeystick
