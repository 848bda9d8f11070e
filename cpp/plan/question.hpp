// SPDX-License-Identifier: Apache-2.0
// A question about a run.
#pragma once

#include <algorithm>

namespace hockeystick {

enum class Quantity { epsilon, delta };

/// The epsilon at a delta, or the delta at an epsilon.
struct Question {
  Quantity quantity;      // the quantity that is wanted
  double at;              // the given delta or epsilon
  double tolerance;       // upper - lower <= tolerance * upper
  double log_margin = 0;  // the same evaluator also answers for deltas down to e^-log_margin of this one
  double enough = 0;      // a delta need not be enclosed to less than this width
  bool is_point = false;  // a point of a curve: where another attempt is dear, twice the tolerance does

  bool wants_epsilon() const { return quantity == Quantity::epsilon; }
  /// The wanted width of delta, relative to delta.
  double tolerance_at(double delta) const { return enough > tolerance * delta ? enough / delta : tolerance; }
};

/// The question about finite losses alone: infinite losses take their mass from the given delta.
inline Question finite_part(Question question, double infinity_mass) {
  if (question.wants_epsilon()) question.at = std::max(question.at - infinity_mass, 1e-3 * question.at);
  return question;
}

}  // namespace hockeystick
