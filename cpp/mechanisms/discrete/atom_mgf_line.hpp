// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "mechanisms/mgf_line.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The moments of a law of atoms on the line Re z = tilt: finite sums over its stored losses. The errors of log M and
/// its bounds include the stated error of the masses. Losses above `top` count as mass at `top` and at +inf, with the
/// same P- and Q-mass.
class AtomMgfLine final : public MgfLine {
 public:
  /// Up to `cut` of the mass may be left out at either end.
  AtomMgfLine(const FiniteLaw& law, double tilt, double cut, double top = infinity, Decay decay = {});

  Ball log_moment() const override { return log_moment(tilted_); }
  double log_moment_above(double tilt) const override;
  std::vector<MomentSample> samples(double spacing, std::size_t count) const override;
  double truncation(double) const override { return 0; }
  /// At least the floor of the decay. Up to its reach this bounds the law's modulus; beyond, smoothing leaves the
  /// floor.
  double modulus_bound(double frequency) const override;
  std::size_t size() const override { return losses_.size(); }
  double left_out() const override { return left_out_; }
  Uncounted uncounted() const override;
  /// The mass of atoms above the top, and the part of it that counts as mass at +inf; `closed_error` is the relative
  /// error of both.
  double above_top() const { return above_top_; }
  double closed() const { return closed_; }
  double closed_error() const { return closed_error_; }

 private:
  // p e^(t loss - log_unit) of each atom with its relative error; their sum with its relative error, and the mean error
  // of their losses.
  struct Tilted {
    std::vector<double> mass, error;
    double log_unit, sum, rounding, moved;
  };
  void close(std::span<const Atom> atoms, double top);
  double loss_error(double loss) const;
  Tilted at(double tilt) const;
  Ball log_moment(const Tilted& tilted) const;

  std::vector<double> losses_, mass_;
  std::vector<double> log_mass_;  // approximate
  Decay decay_;
  double mass_error_, closed_error_, loss_error_, loss_rounding_, unlisted_;
  Interval infinity_mass_;
  double left_out_ = 0, above_top_ = 0, closed_ = 0, top_error_ = 0;  // relative, of the mass at the top by closing
  Tilted tilted_;
};

/// The line of a pair: of its density, or else of its atoms; null if it has neither.
std::unique_ptr<MgfLine> line_of(const DominatingPair& pair, const LineNeeds& needs);

}  // namespace hockeystick
