// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "forecast/transform_plan.hpp"
#include "methods/method.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// One step of each term on its planned support, from both sides.
struct DiscretizedSteps {
  std::vector<StepPmf> upper, lower;
};
DiscretizedSteps discretized(const Direction& direction, const Plan& plan);

/// The composition as a plan has it, from both sides, for any number of questions.
class FftComposition final : public Evaluator {
 public:
  FftComposition(const Direction& direction, const Plan& plan, const Saddle& at);

  Answer answer(Quantity quantity, double at, double near) const override;
  double bytes() const override { return 2 * CurveTable::bytes(static_cast<double>(upper_.pmf().mass.size())); }

 private:
  FftComposition(std::pair<CurveTable, CurveTable>&& sides, const Plan& plan, const Saddle& at);

  double interval_, tilt_, slope_;
  std::size_t size_;
  double cost_;
  CurveTable upper_, lower_;
};

}  // namespace hockeystick
