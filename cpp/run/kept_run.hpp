// SPDX-License-Identifier: Apache-2.0
// A run that grows, with what answered a question about it: more terms cost what they alone take, not all of them.
//
// The answers of a product that was multiplied by the moments of more steps are certified as those of one made at once:
// its errors are of the terms in it, whatever its line was planned for. Where they no longer are tight, another is
// made.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "methods/method.hpp"

namespace hockeystick {

class KeptRun {
 public:
  /// Made for a question, and such that it stays of use while delta changes by some nats; null where no method that can
  /// take more terms has a tight answer.
  static std::shared_ptr<KeptRun> of(std::span<const Direction> directions, const Question& question,
                                     const Limits& limits);

  /// The run extended by the terms of each direction; null where a term does not fit.
  std::shared_ptr<KeptRun> grown(std::span<const Direction> more) const;

  /// For the worst direction; none if it is not tight, or more than the memory limit is kept.
  std::optional<Answer> answer(Quantity quantity, double at, const Limits& limits) const;

  std::size_t directions() const { return evaluators_.size(); }

 private:
  std::vector<std::shared_ptr<const Evaluator>> evaluators_;
};

}  // namespace hockeystick
