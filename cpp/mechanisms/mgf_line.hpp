// SPDX-License-Identifier: Apache-2.0
// The moment generating function M(z) = E_P[e^(z L)] of a pair, enclosed along a line Re z = tilt: contours multiply
// these.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "numeric/constants.hpp"
#include "numeric/interval.hpp"
#include "numeric/point_mass_transform.hpp"

namespace hockeystick {

/// Moments of atoms need not decay. Their moduli are bounded up to the frequency `reach`; beyond it smoothing leaves at
/// most `floor` of a sample, relative to the first sample that is left out.
struct Decay {
  double reach = 0, floor = 1;
};

/// The purpose of a line. These values affect time and width, never a bound.
struct LineNeeds {
  // lowest <= tilt <= highest, all >= 0 or all in [-1, 0]: the range of real tilts that may be asked.
  double lowest, tilt, highest;
  double frequency;     // largest Im z at which a moment is needed
  double log_accuracy;  // a moment may be off by e^-log_accuracy M(tilt), plus rounding
  std::size_t most_nodes = 4096;
  double cut = 0;         // P-mass of the largest losses that a line may leave out
  double top = infinity;  // atoms above count as mass there and at +inf, with the same P- and Q-mass
  Decay decay{};          // of atoms
};

/// Parts of the loss that the moments of a line do not count, apart from the mass that a line leaves out.
struct Uncounted {
  Interval infinity_mass{0, 0};  // bounds of the mass at +inf, that of closed atoms included
  double loss_error = 0;         // of every loss [nats]
  double above_top = 0;          // upper bound of the mass of atoms above the top
  double least = -infinity;      // no loss that is counted is less
};

/// M(tilt + i k spacing) / M(tilt) less 1, and bounds of its errors. Where losses are next to 0, the rounding is
/// relative to this difference, which powers of the moment preserve.
struct MomentSample {
  double re_less_1, im;
  double rounding, truncation;
};

/// The first `count` samples of finitely many losses, apart from truncation.
std::vector<MomentSample> samples_of(PointMassTransform losses, std::size_t count);

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

  /// Bound of the error, apart from rounding, of a sample at that frequency.
  virtual double truncation(double frequency) const = 0;

  /// Upper bound of |M(tilt + i w)| / M(tilt) for every w >= frequency.
  virtual double modulus_bound(double frequency) const = 0;

  /// Upper bound of the P-mass of the losses that no moment counts.
  virtual double left_out() const { return 0; }
  virtual Uncounted uncounted() const { return {}; }

  /// Number of terms of the sum that gives a sample.
  virtual std::size_t size() const = 0;
};

/// A line of which each sample is a formula, without truncation.
class FormulaLine : public MgfLine {
 public:
  std::vector<MomentSample> samples(double spacing, std::size_t count) const final;
  double truncation(double) const final { return 0; }
  std::size_t size() const final { return 1; }

 private:
  /// M(tilt + i w) / M(tilt) less 1, w > 0.
  virtual MomentSample sample(double w) const = 0;
};

}  // namespace hockeystick
