// SPDX-License-Identifier: Apache-2.0
// The privacy loss distribution of a mechanism on a Poisson subsample, from that of the mechanism.
#pragma once

#include <cstddef>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// From the distribution for (P, Q), that of ((1-q) Q + q P, Q); if `backward`, from that for (Q, P) that of
/// (Q, (1-q) Q + q P). Of the same side and interval; 0 < q < 1. std::invalid_argument beyond the memory limit.
LossPmf poisson_sampled(const LossPmf& pmf, double q, bool backward, std::size_t memory_limit);

}  // namespace hockeystick
