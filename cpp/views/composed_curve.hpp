// SPDX-License-Identifier: Apache-2.0
// The curve of a direction at negative losses by its own composed distribution, where no pair of its reverse is known.
#pragma once

#include <optional>
#include <utility>

#include "mechanisms/composition.hpp"
#include "methods/question.hpp"
#include "pld/hockey_stick.hpp"

namespace hockeystick {

class ComposedCurve {
 public:
  explicit ComposedCurve(const Direction& direction) : direction_(direction) {}

  /// Encloses h(e^loss) at a loss below 0, within the tolerance relative to h(e^loss) - 1 + e^loss or a width that is
  /// enough, if memory and work suffice for a fine enough grid.
  Answer at(double loss, double tolerance, double enough);

 private:
  struct Curves {
    CurveTable curve, reflected;
  };
  bool refine(double tolerance);
  std::pair<double, double> value(double loss) const;

  const Direction& direction_;
  double interval_ = 0;  // of the last grid; 0: none yet
  Answer refused_;       // why there is no finer grid
  std::optional<Curves> above_, below_;
};

}  // namespace hockeystick
