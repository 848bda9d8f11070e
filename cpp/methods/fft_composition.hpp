// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "forecast/transform_plan.hpp"
#include "methods/question.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// One step of each term on its planned support, from both sides.
struct DiscretizedSteps {
  std::vector<StepPmf> upper, lower;
};
DiscretizedSteps discretized(const Direction& direction, const Plan& plan);

/// The composition as a plan has it, from both sides, for any number of questions.
class FftComposition {
 public:
  FftComposition(const Direction& direction, const Plan& plan, const Saddle& at);

  /// An interval and what its width is made of; whether that will do is the caller's to judge.
  Answer answer(bool wants_epsilon, double value) const;

  double bytes() const { return 2 * CurveTable::bytes(static_cast<double>(upper_.pmf().mass.size())); }

 private:
  FftComposition(std::pair<CurveTable, CurveTable>&& sides, const Plan& plan, const Saddle& at);

  double interval_, tilt_, slope_;
  std::size_t size_;
  CurveTable upper_, lower_;
};

/// Certified upper bound of delta(epsilon) by Chernoff's inequality alone, without a transform:
/// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y), K of connect-the-dots steps, at the tilt of `at`. Infinite
/// where it cannot serve. Loose by about tilt * deviation * 2.5, and by as much as the factor e^coarse for its coarse
/// steps, which are the fewer.
double chernoff_delta(const Direction& direction, const Saddlepoint& saddlepoint, const Saddle& at, double epsilon,
                      double coarse = 0.1);

}  // namespace hockeystick
