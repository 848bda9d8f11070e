// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

#include "methods/method.hpp"
#include "plan/transform_plan.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

/// The reach of the lower side of closed steps: less `excess`, it bounds delta(epsilon) up to `epsilon`.
struct Reach {
  double epsilon = infinity, excess = 0;
};

/// A step of each term, discretized on its planned support from both sides.
struct DiscretizedSteps {
  std::vector<StepPmf> upper, lower;
  Reach reach;
};
DiscretizedSteps discretized(const Direction& direction, const Plan& plan);

/// The composition of a plan from both sides, for any number of questions.
class FftComposition final : public Evaluator {
 public:
  FftComposition(const Direction& direction, const Plan& plan, const Saddle& at);

  Answer answer(Quantity quantity, double at, double near) const override;
  double bytes() const override { return 2 * CurveTable::bytes(static_cast<double>(upper_.pmf().mass.size())); }

 private:
  struct Sides {
    CurveTable upper, lower;
    Reach reach;
  };
  FftComposition(Sides&& sides, const Plan& plan, const Saddle& at);
  static Sides composed(const Direction& direction, const Plan& plan);

  double interval_, tilt_, slope_;
  std::size_t size_;
  double cost_;
  CurveTable upper_, lower_;
  Reach reach_;
};

}  // namespace hockeystick
