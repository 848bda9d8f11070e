// SPDX-License-Identifier: Apache-2.0
// The composed privacy loss distribution of a direction over all losses, bounded from one side, untilted or tilted.
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
  double tail_mass;  // P- and Q-mass that truncation may remove at each end
  std::size_t memory_limit;
  std::vector<std::int64_t> support = {};  // of every distinct pair's step, in intervals; empty: uniform
  bool merged = true;  // whether Gaussian terms are merged first, exactly; only where no support is given
};

/// The composed privacy loss distribution on a uniform grid. The one-step distributions have the given support, or a
/// uniform one that holds all but `tail_mass`. Memory is charged to the thread's budget.
LossPmf explicit_pmf(const Direction& direction, const ExplicitRequest& request);

/// The same as a separate question with its own memory limit: std::invalid_argument that names
/// `discretization_interval` and `memory_limit` if the distribution is too large.
LossPmf requested_pmf(const Direction& direction, const ExplicitRequest& request);

}  // namespace hockeystick
