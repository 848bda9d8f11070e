// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "mechanisms/mgf_line.hpp"
#include "numeric/interval.hpp"
#include "pld/tilt.hpp"

namespace hockeystick {

/// The moments of a discretized step on the line Re z = its tilt: finite sums over its stored tilted masses, up to
/// rounding. They need not decay.
class StepMgfLine final : public MgfLine {
 public:
  /// Refers to the step, which the caller keeps.
  explicit StepMgfLine(TiltedStep step, Decay decay = {});

  Ball log_moment() const override { return log_moment_; }
  double log_moment_above(double tilt) const override;
  std::vector<MomentSample> samples(double spacing, std::size_t count) const override;
  double truncation(double) const override { return 0; }
  /// At least the floor of the decay, as in `AtomMgfLine`.
  double modulus_bound(double frequency) const override;
  std::size_t size() const override { return step_.mass.size(); }

 private:
  TiltedStep step_;
  Decay decay_;
  std::vector<double> losses_;
  Ball log_moment_;
};

}  // namespace hockeystick
