// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "numeric/runtime/budget.hpp"
#include "pld/loss_pmf.hpp"
#include "pld/tail_sums.hpp"

namespace hockeystick {

/// A certified delta and what it is made of, all in units of delta. Upper: value = curve + the
/// rest, lower: value = curve - the rest, held to [0, 1], where delta lies anyway.
struct CertifiedDelta {
  double value;
  double curve;       // D(eps -+ loss_error) as computed
  double truncation;  // mass above the window or at +inf; what a reversed lower curve gives up
  double wraparound;
  double rounding;
};

/// A composition with its sums at every 64th point of the window: one pass over the window, and then a query costs as
/// much as some 64 points.
class CurveTable {
 public:
  explicit CurveTable(LossPmf pmf);
  CurveTable(CurveTable&&) = default;
  CurveTable& operator=(CurveTable&&) = default;

  /// Bound of delta(epsilon), of the composition's side. Epsilon at or above the first loss.
  CertifiedDelta delta(double epsilon) const;

  /// Upper: an epsilon >= 0 with delta(epsilon) <= delta for certain, +inf if none can be shown.
  /// Lower: an epsilon >= 0 with delta(epsilon') > delta for certain for all epsilon' below it, or 0.
  /// Tight up to rounding.
  double epsilon(double delta) const;

  const LossPmf& pmf() const { return pmf_; }

  /// What one takes for a window of so many points.
  static double bytes(double points) {
    return points * (sizeof(double) + sizeof(Suffix) / double{SuffixBlock::points});
  }

 private:
  LossPmf pmf_;
  Held room_;
  std::vector<Suffix> sums_;  // from the empty one down; they refer to the masses
};

/// Certified values of the hockey-stick curve h(alpha) around the kinks of the stored one, by increasing
/// loss: upper: h(e^loss[k]) <= value[k], e^loss[k] <= alpha[k]. Lower: h >= max(floor, f), where f is linear between
/// the true kinks, each of which lies at an e^x with loss[k] <= x <= loss[k] + slack, alpha[k] <= e^x, f(e^x) >=
/// value[k].
struct CurveKinks {
  std::vector<double> loss, alpha, value;
  double slack = 0;  // [nats]
  double floor = 0;
  Held room;
};

/// All kinks, by one pass over the window.
CurveKinks certified_kinks(const LossPmf& pmf);

/// The P-masses, untilted, transform errors below zero shown as zero; for display and plots.
void probabilities(const LossPmf& pmf, std::span<double> to);

/// What a hockey-stick curve summed exactly from `probabilities` and the infinity mass may be off
/// by, at any epsilon, besides loss_error: true masses are >= 0, so showing 0 for a negative one
/// comes no further from the truth.
double slack(const LossPmf& pmf);

}  // namespace hockeystick
