// SPDX-License-Identifier: Apache-2.0
// M(z) = E_P[e^(z L)] of a pair whose loss has a density, enclosed along a line Re z = tilt: what
// the contour engine multiplies.
#pragma once

#include <cstddef>
#include <vector>

#include "numeric/interval.hpp"

namespace hockeystick {

/// What a line is wanted for. All of it costs time or width, never a bound.
struct LineNeeds {
  double lowest, tilt, highest;  // 0 <= lowest <= tilt <= highest: real tilts that may be asked
  double frequency;              // Im z up to which a moment should be
  double log_accuracy;           // within e^-log_accuracy of M(tilt), but for rounding
  std::size_t most_nodes = 4096;
};

/// M(tilt + i k spacing) / M(tilt), and what it may be off by.
struct MomentSample {
  double re, im;
  double rounding, truncation;
};

class MgfLine {
 public:
  MgfLine() = default;
  MgfLine(const MgfLine&) = delete;
  MgfLine& operator=(const MgfLine&) = delete;
  virtual ~MgfLine() = default;

  /// log M at the line's own tilt.
  virtual Ball log_moment() const = 0;

  /// Upper bound of log M(tilt) at a real tilt in [lowest, highest].
  virtual double log_moment_above(double tilt) const = 0;

  /// The samples 0 <= k < count of the line.
  virtual std::vector<MomentSample> samples(double spacing, std::size_t count) const = 0;

  /// What a sample at that frequency is off by apart from rounding, at most.
  virtual double truncation(double frequency) const = 0;

  /// Upper bound of |M(tilt + i w)| / M(tilt) for every w >= frequency.
  virtual double modulus_bound(double frequency) const = 0;

  /// Terms of the sum that a sample is.
  virtual std::size_t size() const = 0;
};

}  // namespace hockeystick
