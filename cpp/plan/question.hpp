// SPDX-License-Identifier: Apache-2.0
// What is asked about a run.
#pragma once

namespace hockeystick {

enum class Quantity { epsilon, delta };

/// The epsilon at a delta, or the delta at an epsilon.
struct Question {
  Quantity quantity;      // wanted
  double at;              // the delta or epsilon that is given
  double tolerance;       // upper - lower <= tolerance * upper
  double log_margin = 0;  // nats by which delta may fall for other questions that the same evaluator is to answer

  bool wants_epsilon() const { return quantity == Quantity::epsilon; }
};

}  // namespace hockeystick
