// SPDX-License-Identifier: Apache-2.0
// A run that grows, with the evaluators that answered a question about it: further terms cost the work that they alone
// take.
//
// The answers of a product that was multiplied by the moments of more steps are certified like those of a product made
// at once: its errors are those of its terms, whatever its line was planned for. Where answers are no longer tight,
// another evaluator is made.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "methods/method.hpp"

namespace hockeystick {

class KeptRun {
 public:
  /// Made for a question. It stays of use while delta changes by some nats; null where no method that can take more
  /// terms has a tight answer.
  static std::shared_ptr<KeptRun> of(std::span<const Direction> directions, const Question& question,
                                     const Limits& limits);

  /// The run with more terms in each direction; null where a term does not fit.
  std::shared_ptr<KeptRun> grown(std::span<const Direction> more) const;

  /// The answer for the worst direction; none if it is not tight, or if the evaluators exceed the memory limit.
  std::optional<Answer> answer(Quantity quantity, double at, const Limits& limits) const;

  std::size_t directions() const { return evaluators_.size(); }

 private:
  std::vector<std::shared_ptr<const Evaluator>> evaluators_;
};

}  // namespace hockeystick
