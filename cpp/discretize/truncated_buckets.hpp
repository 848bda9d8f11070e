// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanisms/dominating_pair.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Privacy buckets (Meiser & Mohammadi 2018) of the losses in [low, high], each rounded to a multiple of the
/// interval: up (upper) or down (lower). Upper: losses below `low` count as `low`, those above `high` as +inf.
/// Lower: those above count as `high`, those below are dropped. Losses within 1e-12 intervals and rounding of a
/// multiple count as on it, for a loss error. Off to first order in the interval.
StepPmf truncated_buckets(const DominatingPair& pair, double interval, double low, double high, Side side);

}  // namespace hockeystick
