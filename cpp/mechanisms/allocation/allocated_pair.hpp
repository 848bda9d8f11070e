// SPDX-License-Identifier: Apache-2.0
// A mechanism that each record joins in one of t steps, drawn at random: pairs above and below its curve.
//
// Let (P, Q) dominate a step with the record against without it; P_t has P at a random place and Q at the others, Q_t
// has Q everywhere. (P_t, Q_t) dominates the steps of every adaptive run (cpp/proofs/allocated-pair.md). dP_t/dQ_t is
// the mean of t independent copies of R = dP/dQ under Q, so that the curve is
//     h_t(alpha) = E (mean of R_i - alpha)_+ + P(R = inf),     and E (1 - alpha mean of R_i)_+ of the reverse:
// both are expectations of convex functions, and the laws of convex_convolution.hpp bound them.
#pragma once

#include <memory>

#include "mechanisms/allocation/convex_convolution.hpp"
#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

struct AllocationRequest {
  double steps;        // t, whole
  double cells;        // intervals in a deviation of the logarithm of a mean, about
  double tail;         // P-mass that may be counted at +inf and Q-mass at -inf
  Order order;         // above the curve or below it
  bool back;           // the given pair is without the record against with it, and so is the result
  double spacing = 0;  // of losses, at multiples of which the curve bends; 0: anywhere
  double low = 0;      // as `tail`, if more, of the sums with the smallest losses
};

/// The pair of the random allocation. Losses of the step beyond 300 nats count as infinite above, and are left out
/// below. Throws std::invalid_argument for a request out of range.
std::shared_ptr<const DominatingPair> allocated_pair(const DominatingPair& step, const AllocationRequest& request);

}  // namespace hockeystick
