// SPDX-License-Identifier: Apache-2.0
// Uncertified forecasts from quadrature nodes: cumulants of the composed loss, its saddle points,
// Chernoff windows and mass profiles. They choose tilt, window and interval; no bound rests on them.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "mechanisms/composition.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Cumulant generating function of the composed loss and its first two derivatives.
struct Cumulants {
  double value, mean, variance;
};

/// Where a question lies. Regular: the tilted composition is about normal there, so that
/// delta(eps) = e^(K - tilt eps) * factor at eps = mean, slope = -d log delta / d eps and curvature
/// = loss density / delta are forecasts. Else (atoms, a loss bounded nearby, very few steps) only
/// tilt, epsilon and log_delta mean something, as Chernoff's inequality has them.
struct Saddle {
  double tilt, epsilon, deviation;
  double log_delta, factor, slope, curvature;
  bool regular;
};

class Saddlepoint {
 public:
  explicit Saddlepoint(const Direction& direction);
  /// From the one-step distributions in place of the pairs; cost linear in their points a question.
  Saddlepoint(std::span<const StepPmf> steps, const Direction& direction);

  /// Forgets the highest losses, of P-mass e^log_mass in all: what truncation may send to +inf must
  /// not steer the tilt, for rare huge losses rule the moments long before they matter to delta.
  void truncate(double log_mass);

  Cumulants cumulants(double tilt) const;

  /// Cumulant generating function of one step of term j.
  double log_moment(std::size_t term, double tilt) const;

  Saddle saddle(double tilt) const;
  /// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y) >= delta(epsilon), as a logarithm.
  double log_chernoff_delta(double tilt, double epsilon) const;
  Saddle saddle_for_delta(double delta) const;
  Saddle saddle_for_epsilon(double epsilon) const;
  /// For Chernoff's inequality where the mean jumps past epsilon with the tilt: right below the jump.
  Saddle far_saddle(double epsilon) const;

  /// The absolute tilt, within `limit` of `tilt`, at which Chernoff's inequality gives P(S > loss) (in the measure
  /// tilted by `tilt`) <= e^-log_reciprocal, and that loss. Direction: +1 above, -1 below.
  struct Reach {
    double tilt, loss;
  };
  Reach reach(double tilt, double log_reciprocal, int direction, double limit) const {
    return reach({tilt, cumulants(tilt)}, log_reciprocal, direction, limit);
  }
  /// The same where the cumulants at the tilt are known; the search begins at `nearby` where that is not NaN.
  struct Tilted {
    double tilt;
    Cumulants cumulants;
  };
  Reach reach(const Tilted& from, double log_reciprocal, int direction, double limit,
              double nearby = std::numeric_limits<double>::quiet_NaN()) const;

  double total_count() const { return total_count_; }
  /// Steps by their tilted mass off atoms that lie further apart than `apart` [nats].
  double spread_count(double tilt, double apart) const;
  std::size_t terms() const { return nodes_.size(); }
  const LossNodes& nodes(std::size_t term) const { return nodes_[term]; }
  double count(std::size_t term) const { return counts_[term]; }

 private:
  void add(LossNodes nodes, std::int64_t count);
  Cumulants step_cumulants(std::size_t term, double tilt) const;
  bool is_regular(double tilt, double variance) const;
  double tilt_for_mean(double epsilon) const;
  Saddle chernoff_saddle(double delta) const;
  std::vector<LossNodes> nodes_;
  std::vector<const Atoms*> atoms_;  // of the pairs, where these are discretized
  std::vector<double> counts_, log_total_;
  double total_count_ = 0;
  double deviation_ = 0;  // of the untilted composition
};

}  // namespace hockeystick
