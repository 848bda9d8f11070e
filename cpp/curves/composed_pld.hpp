// SPDX-License-Identifier: Apache-2.0
// The composed privacy loss distribution of a direction over all losses, from one side, untilted or tilted.
#pragma once

#include <cstdint>
#include <vector>

#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Which one-step estimate an explicit privacy loss distribution is composed from.
enum class Estimator { connect_dots, algorithm_2, privacy_buckets };

struct ExplicitRequest {
  double interval;  // discretization interval [nats]
  Side side;
  Estimator estimator;
  double tail_mass;  // P- and Q-mass that each end may lose to truncation
  std::size_t memory_limit;
  double tilt = 0;  // points the transform's precision at the losses where the tilted composition lies
  std::vector<std::int64_t> support = {};  // of every distinct pair's step, in intervals; empty: uniform
  bool aligned = false;  // the interval may shrink and a uniform grid shift, to meet atoms of the loss
  bool merged = true;    // Gaussian terms become one first, exactly; only where no support is given
};

/// Bytes that explicit_pmf would take at its peak.
double explicit_pmf_bytes(const Direction& direction, const ExplicitRequest& request);

/// The composed privacy loss distribution on a uniform grid, from one-step distributions on a uniform support
/// that holds all but `tail_mass`, or on the support given. Charged to the thread's budget.
LossPmf explicit_pmf(const Direction& direction, const ExplicitRequest& request);

/// The same as a question of its own, within its memory limit: std::invalid_argument that names
/// `discretization_interval` and `memory_limit` if it is too large.
LossPmf requested_pmf(const Direction& direction, const ExplicitRequest& request);

}  // namespace hockeystick
