// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "account/plan.hpp"
#include "pld/query.hpp"

namespace hockeystick {

/// The composition as a plan has it, from both sides.
struct Pass {
  LossPmf upper, lower;
};

/// One step of each term on its planned support, from both sides.
struct DiscretizedSteps {
  std::vector<StepPmf> upper, lower;
};
DiscretizedSteps discretized(const Direction& direction, const Plan& plan);

Pass run_pass(const Direction& direction, const Plan& plan);

/// Certified upper bound of delta(epsilon) by Chernoff's inequality alone, without a transform:
/// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y), K of connect-the-dots steps. Infinite
/// where it cannot serve. Loose by about tilt * deviation * 2.5, and by as much as the factor e^coarse for its coarse
/// steps, which are the fewer.
double chernoff_delta(const Direction& direction, const Pilot& pilot, double epsilon, double coarse = 0.1);

}  // namespace hockeystick
