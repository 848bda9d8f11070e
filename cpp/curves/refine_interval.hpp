// SPDX-License-Identifier: Apache-2.0
// The loop of questions to the whole curve: a direction is composed from both sides at ever finer discretization
// intervals, until the bounds that follow are tight.
#pragma once

#include <functional>
#include <span>

#include "curves/composed_pld.hpp"
#include "methods/question.hpp"
#include "numeric/interval.hpp"
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

/// How wide an answer may be.
using AllowedWidth = std::function<double(const Answer& answer)>;

/// Intersects the i-th answer with bounds.
using Take = std::function<void(std::size_t i, const Interval& bounds)>;

/// Calls `ask`, which takes bounds of each answer in `which`, on ever finer pairs until all of these answers are as
/// narrow as allowed, and says what they are limited by if they are not. Never takes more than the memory limit; where
/// even the first interval would, the interval is widened once so that some answer exists.
void refine_interval(const Direction& direction, const Refinement& refinement, const Limits& limits,
                     std::span<Answer> answers, std::span<const std::size_t> which, const AllowedWidth& allowed,
                     const std::function<void(const PldPair&, const Take&)>& ask);

/// The answer that bounds are which no interval refines: only rounding keeps them from being as narrow as allowed.
Answer settled(const Interval& bounds, const AllowedWidth& allowed);

}  // namespace hockeystick
