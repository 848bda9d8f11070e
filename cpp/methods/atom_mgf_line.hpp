// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/mgf_line.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The moments of a law of atoms on the line Re z = tilt: finite sums over its losses as they are stored. The stated
/// error of its masses is part of that of log M, and of the bounds of log M. They do not decay.
class AtomMgfLine final : public MgfLine {
 public:
  /// Up to `cut` of the mass may be left out at either end.
  AtomMgfLine(const FiniteLaw& law, double tilt, double cut);

  Ball log_moment() const override { return log_moment(tilted_); }
  double log_moment_above(double tilt) const override;
  std::vector<MomentSample> samples(double spacing, std::size_t count) const override;
  double truncation(double) const override { return 0; }
  double modulus_bound(double) const override { return 1; }
  std::size_t size() const override { return losses_.size(); }
  double left_out() const override { return left_out_; }

 private:
  // p e^(t loss - log_unit) of each atom and its relative error, their sum and its relative error.
  struct Tilted {
    std::vector<double> mass, error;
    double log_unit, sum, rounding;
  };
  Tilted at(double tilt) const;
  Ball log_moment(const Tilted& tilted) const;

  std::vector<double> losses_, mass_;
  double mass_error_, left_out_ = 0;
  Tilted tilted_;
};

}  // namespace hockeystick
