// SPDX-License-Identifier: Apache-2.0
// The loop for questions about the whole curve: composes a direction from both sides with smaller and smaller
// discretization intervals until the bounds are tight.
#pragma once

#include <functional>
#include <span>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "pld/loss_pmf.hpp"
#include "views/composed_pld.hpp"

namespace hockeystick {

/// Upper and lower estimate on the same grid.
struct PldPair {
  LossPmf upper, lower;
};

/// How to choose the first grid and the next ones.
struct Refinement {
  double interval;   // first discretization interval to try [nats]
  double tail_mass;  // mass that truncation may move at each end
  double tilt = 0;   // the tilt at whose losses the transform is to be precise
  double order = 2;  // the width of the answers is proportional to interval^order
  Estimator estimator = Estimator::connect_dots;
};

/// The width that an answer may have.
using AllowedWidth = std::function<double(const Answer& answer)>;

/// Intersects the i-th answer with bounds.
using Take = std::function<void(std::size_t i, const Interval& bounds)>;

/// Calls `ask`, which bounds each answer in `which`, on finer and finer pairs until all of these answers are as narrow
/// as allowed; otherwise the answers say what limits them. Never exceeds the memory limit: if the first interval would,
/// it is widened once so that some answer exists.
void refine_interval(const Direction& direction, const Refinement& refinement, const Limits& limits,
                     std::span<Answer> answers, std::span<const std::size_t> which, const AllowedWidth& allowed,
                     const std::function<void(const PldPair&, const Take&)>& ask);

/// The answer with bounds that no interval can refine: only rounding keeps them from being as narrow as allowed.
Answer settled(const Interval& bounds, const AllowedWidth& allowed);

}  // namespace hockeystick
