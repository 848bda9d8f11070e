// SPDX-License-Identifier: Apache-2.0
// Certified delta and epsilon of a composed privacy loss distribution, from sums over its hockey-stick curve.
#pragma once

#include <span>
#include <vector>

#include "numeric/runtime/budget.hpp"
#include "pld/loss_pmf.hpp"
#include "pld/tail_sums.hpp"

namespace hockeystick {

/// A certified delta and its parts, all in units of delta. Upper: value = curve + the other parts, lower: value = curve
/// - the other parts, clipped to [0, 1], where delta lies.
struct CertifiedDelta {
  double value;
  double curve;       // D(eps -+ loss_error) as computed
  double truncation;  // mass above the window or at +inf; what a reversed lower curve subtracts
  double wraparound;
  double rounding;
};

/// A composition with its sums at every 64th point of the window: made by one sweep over the window, after which a
/// query costs as much as about 64 points.
class CurveTable {
 public:
  explicit CurveTable(LossPmf pmf);
  CurveTable(CurveTable&&) = default;
  CurveTable& operator=(CurveTable&&) = default;

  /// Bound of delta(epsilon), of the composition's side. Epsilon is at or above the first loss.
  CertifiedDelta delta(double epsilon) const;

  /// Upper: an epsilon >= 0 with delta(epsilon) <= delta for certain, +inf if none can be shown. Lower: an epsilon >= 0
  /// with delta(epsilon') > delta for certain for all epsilon' below, or 0. Tight up to rounding.
  double epsilon(double delta) const;

  const LossPmf& pmf() const { return pmf_; }

  /// Memory for a window of this number of points.
  static double bytes(double points) {
    return points * (sizeof(double) + sizeof(Suffix) / double{SuffixBlock::points});
  }

 private:
  LossPmf pmf_;
  Held room_;
  std::vector<Suffix> sums_;  // from the empty suffix down; they refer to the masses
};

/// Certified values of the hockey-stick curve h(alpha) near the kinks of the stored curve, by increasing loss. Upper:
/// h(e^loss[k]) <= value[k], e^loss[k] <= alpha[k]. Lower: h >= max(floor, f), where f is linear between the true
/// kinks, each at an e^x with loss[k] <= x <= loss[k] + slack, alpha[k] <= e^x, f(e^x) >= value[k].
struct CurveKinks {
  std::vector<double> loss, alpha, value;
  double slack = 0;  // [nats]
  double floor = 0;
  Held room;
};

/// All kinks, by one sweep over the window.
CurveKinks certified_kinks(const LossPmf& pmf);

/// The untilted P-masses for display and plots; negative ones, which are transform errors, become zero.
void probabilities(const LossPmf& pmf, std::span<double> to);

/// Error bound, on top of loss_error and at any epsilon, of the hockey-stick curve summed exactly from `probabilities`
/// and the infinity mass. True masses are >= 0, so 0 in place of a negative mass is no further from the truth.
double slack(const LossPmf& pmf);

}  // namespace hockeystick
