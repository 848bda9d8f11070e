// SPDX-License-Identifier: Apache-2.0
// Forecasts from quadrature nodes of the loss: cumulants of a composition, its saddle points and Chernoff quantiles.
// They choose tilt, window and interval; no bound rests on them.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "mechanisms/composition.hpp"
#include "mechanisms/loss_sketch.hpp"
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

/// A loss beyond which little mass lies by Chernoff's inequality, and the absolute tilt of the best such bound.
struct ChernoffQuantile {
  double tilt, loss;
};

/// The nodes of a step that a saddle point counts.
struct SeenNodes {
  std::span<const double> loss, log_mass;
};

class Saddlepoint {
 public:
  explicit Saddlepoint(const Direction& direction);
  /// From the one-step distributions in place of the pairs; cost linear in their points a question.
  Saddlepoint(std::span<const StepPmf> steps, const Direction& direction);

  /// Without the highest losses, of P-mass e^log_mass in all: what truncation may send to +inf must
  /// not steer the tilt, for rare huge losses rule the moments long before they matter to delta.
  Saddlepoint(const Saddlepoint& whole, double log_mass);
  void truncate(double log_mass);
  /// Ends where lines do that leave out this mass and no more: losses beyond count as there.
  void end_at(double log_mass);

  /// Counts losses above `top` as there and at +inf, with the same P- and Q-mass. Returns the probability that one of
  /// the steps has an infinite loss now.
  double close(double top);

  /// Searches ask again where they ended: the last are kept, so that no two threads may ask one object.
  Cumulants cumulants(double tilt) const {
    if (tilt == 0) return untilted_;
    if (tilt != last_tilt_) last_ = summed(tilt), last_tilt_ = tilt;
    return last_;
  }

  /// Cumulant generating function of one step of term j.
  double log_moment(std::size_t term, double tilt) const { return step_cumulants(parts_[term], tilt).value; }

  /// Standard deviation of the composed loss, untilted.
  double deviation() const { return deviation_; }

  Saddle saddle(double tilt) const;
  /// e^(K(tilt) - tilt epsilon) max_y e^(-tilt y) (1 - e^-y) >= delta(epsilon), as a logarithm.
  double log_chernoff_delta(double tilt, double epsilon) const;

  /// The saddle at which delta(epsilon), or epsilon, is the one given; not regular where the tilted composition is not.
  Saddle saddle_for_delta(double delta) const;
  Saddle saddle_for_epsilon(double epsilon) const;
  /// The same within a few Newton steps, regular or not: the rest is made up for to first order.
  Saddle rough_saddle_for_delta(double log_delta) const { return for_delta(log_delta, 0.3); }
  Saddle rough_saddle_for_epsilon(double epsilon) const { return for_epsilon(epsilon, 0.1); }
  /// The least tilt at which Chernoff's inequality shows that no double is as small as delta(epsilon); right below
  /// where the mean jumps past epsilon if none does.
  Saddle far_saddle(double epsilon) const;
  /// The saddle at which Q(L > epsilon) is about `rate` (direction +1), or Q(L <= epsilon) is (-1); rate <= 1/2. In the
  /// measure tilted by `measure`: 0 for P.
  Saddle saddle_for_rate(double rate, int direction, double measure = -1) const;
  /// The tilt of that saddle above, at least 0, held to where the tilted composition is likely to be regular.
  double tilt_for_rate(double rate) const;

  /// A tilt of at most the one given at which the moments hardly know of losses that `truncated` left out.
  double tilt_below_outliers(double tilt, const Saddlepoint& truncated) const;

  /// Where Chernoff's inequality gives P(S > loss), in the measure tilted by `tilt`, <= e^-log_reciprocal, within
  /// `limit` of that tilt. Direction: +1 above, -1 below.
  ChernoffQuantile chernoff_quantile(double tilt, double log_reciprocal, int direction, double limit) const {
    return chernoff_quantile({tilt, cumulants(tilt)}, log_reciprocal, direction, limit);
  }
  /// The same where the cumulants at the tilt are known; the search begins at `nearby` where that is not NaN.
  struct Tilted {
    double tilt;
    Cumulants cumulants;
  };
  ChernoffQuantile chernoff_quantile(const Tilted& from, double log_reciprocal, int direction, double limit,
                                     double nearby = std::numeric_limits<double>::quiet_NaN()) const;

  /// A loss that is exceeded but with a probability of far less than `missed`, by Chernoff's inequality.
  ChernoffQuantile exceeded(double missed) const;

  /// What losses between 0 and `top` add to the total variation, of all steps together.
  double variation_below(double top) const;

  double total_count() const { return total_count_; }
  /// Steps by their tilted mass off atoms that lie further apart than `apart` [nats].
  double spread_count(double tilt, double apart) const;
  /// Steps by their tilted mass, where what lies within a quarter of the interval of the bulk of a step counts by its
  /// distance from there: on a grid that has the bulk on a point it is spread by its distance times the interval.
  double moving_count(double tilt, double interval) const;
  std::size_t terms() const { return parts_.size(); }
  SeenNodes nodes(std::size_t term) const { return parts_[term].nodes(); }
  double count(std::size_t term) const { return parts_[term].count; }

 private:
  // A term. Copies share the nodes, of which each sees the lowest.
  struct Part {
    std::shared_ptr<const LossNodes> all;
    std::size_t seen;
    double count, log_total;
    AtomSketch atoms;  // of the pair, where it is discretized

    SeenNodes nodes() const { return {{all->loss.data(), seen}, {all->log_mass.data(), seen}}; }
  };
  void add(LossNodes nodes, std::int64_t count, const AtomSketch& atoms);
  std::size_t below_largest(const Part& part, double log_mass) const;  // the nodes that are left
  static double exceeded_with(const Part& part, double mass);          // a loss that has so much P-mass beyond it
  double close(Part& part, double top);                                // how many infinite losses are expected now
  void weigh();
  Cumulants summed(double tilt) const;
  static Cumulants step_cumulants(const Part& part, double tilt);
  bool is_regular(double tilt, double variance) const;
  Saddle for_delta(double log_delta, double accuracy) const;
  Saddle for_epsilon(double epsilon, double accuracy) const;
  Saddle chernoff_saddle(double delta) const;
  Saddle irregular(double tilt, double epsilon) const;
  double steepest() const { return 0x1p40 / deviation_; }
  std::vector<Part> parts_;
  double total_count_ = 0;
  Cumulants untilted_{0, 0, 0};
  double deviation_ = 0;
  mutable double last_tilt_ = 0;
  mutable Cumulants last_{0, 0, 0};
};

}  // namespace hockeystick
