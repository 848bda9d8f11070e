// SPDX-License-Identifier: Apache-2.0
// A direction's composed curve from both sides over all losses, refined until a set of questions is answered.
#pragma once

#include <functional>

#include "curves/given_pmf.hpp"
#include "methods/question.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The same grid from both sides.
struct PldPair {
  LossPmf upper, lower;
};

/// How to get from one grid to the next.
struct Refinement {
  double interval;   // first discretization interval to try [nats]
  double tail_mass;  // mass that truncation may move at each end
  double tilt = 0;   // where the transform's precision is wanted
  double order = 2;  // the width of the answers falls as interval^order
  Estimator estimator = Estimator::connect_dots;
};

/// How it ended: "" if the questions were answered, else as in Answer.
struct Outcome {
  std::string_view limited_by;
  std::size_t required_bytes = 0;
};

/// Calls `attempt` on ever finer enclosures until it returns at most 1: the largest ratio of a width to what is
/// allowed. Never takes more than the memory limit; where even the first interval would, the interval is
/// widened once so that some answer exists.
Outcome refine(const Direction& direction, const Refinement& refinement, const Limits& limits,
               const std::function<double(const PldPair&)>& attempt);

}  // namespace hockeystick
