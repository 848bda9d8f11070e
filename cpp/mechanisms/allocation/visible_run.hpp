// SPDX-License-Identifier: Apache-2.0
// Runs of random allocations of Gaussian steps whose noise is so little that it tells the step that a record joined,
// by closed forms. cpp/proofs/visible-run.md has the bounds.
#pragma once

#include <vector>

#include "numeric/interval.hpp"

namespace hockeystick {

/// Noise multipliers below this tell the step that a record joined, but for 1e-28.
inline constexpr double visible = 0.1;

/// `count` epochs of `steps` steps that compare N(mu, 1) with N(0, 1), one of which a record joins; plain if steps = 1.
struct VisibleEpochs {
  double mu, steps, count;
};

class VisibleRun {
 public:
  /// Each mu is known within 8 u. `gap`: nats, at least 4, that the steps joined are ahead of all others but by
  /// mistake.
  VisibleRun(std::vector<VisibleEpochs> epochs, double gap);

  /// Of a removed record; with `adds` of the worse of a removed and of an added one. Nothing is known above where
  /// mistakes count, or where an added record may cost more: the upper end is then infinite, or 1.
  Interval epsilon(double delta, bool adds) const;
  Interval delta(double epsilon, bool adds) const;

  /// Upper bound of the log of the probability that others come near a step that is joined, and the loss exceeds x.
  double log_mistaken(double x) const;
  /// Upper bound of the log of what such mistakes take off 1 - delta, where plain steps lose `loss`.
  double log_missed(double loss) const;
  /// Upper bound of the log of the probability that the loss of an added record exceeds x.
  double log_added(double x) const;
  /// Whether 1 - delta(x) of an added record is at least `spared`, certainly.
  bool adds_spare(double x, double spared) const;

 private:
  double log_mistaken_by(double tilt, double x) const;
  bool once_adds_spare(const VisibleEpochs& one, double x, double spared) const;

  std::vector<VisibleEpochs> epochs_;
  double gap_;
  double square_ = 0, sampled_ = 0;   // of mu, in all epochs; numbers of epochs with more than one step
  double shift_ = 0, shift_off_ = 0;  // of losses, by the logs of the steps
};

}  // namespace hockeystick
