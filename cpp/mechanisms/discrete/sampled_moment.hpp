// SPDX-License-Identifier: Apache-2.0
// Moments of the loss of discrete noise on Poisson samples beyond the outcomes that binary64 can list.
// cpp/proofs/sampled-moments.md has the bounds.
#pragma once

#include <span>

#include "mechanisms/discrete/atomic_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The listed outcomes of a pair ((1-q) Q + q P, Q), and bounds of the mass that they lack.
struct ListedOutcomes {
  std::span<const LossAtom> atoms;
  double mass_error, loss_error;  // of each Q-mass, relatively, and of each loss
  double unlisted_q;              // upper bound of the Q-mass of outcomes without a listed Q-mass
};

/// Bounds of log E_Q[(1 - q + q r)^(t+1)], r = P / Q, where `plain` encloses log E_Q[r^(t+1)].
Interval sampled_log_moment(const ListedOutcomes& listed, double q, const Interval& plain, double t);

}  // namespace hockeystick
