// SPDX-License-Identifier: Apache-2.0
// Forecasts from quadrature nodes of the loss: cumulants of a composition, its saddle points and Chernoff quantiles.
// Plans use them for tilts, windows and intervals; no bound depends on them.
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

/// The forecast of a question. If `regular`, the tilted composition is about normal, and delta(eps) = e^(K - tilt eps)
/// * factor at eps = mean, slope = -d log delta / d eps and curvature = loss density / delta. Else (atoms, an end of
/// the losses nearby, very few steps) only tilt, epsilon and log_delta are forecasts, by Chernoff's inequality.
struct Saddle {
  double tilt, epsilon, deviation;
  double log_delta, factor, slope, curvature;
  bool regular;
};

/// A loss beyond which Chernoff's inequality bounds the mass, and the tilt at which that bound is best.
struct ChernoffQuantile {
  double tilt, loss;
};

/// The nodes of a step that are counted.
struct SeenNodes {
  std::span<const double> loss, log_mass;
};

class Saddlepoint {
 public:
  explicit Saddlepoint(const Direction& direction);
  /// From discretized steps. Each evaluation takes time proportional to their points.
  Saddlepoint(std::span<const StepPmf> steps, const Direction& direction);

  /// Without the highest losses, of total P-mass e^log_mass, which truncation may send to +inf: rare huge losses
  /// dominate moments at tilts at which they do not affect delta yet.
  Saddlepoint(const Saddlepoint& whole, double log_mass);
  void truncate(double log_mass);
  /// Ends where lines end that leave out this mass: losses beyond are closed there.
  void end_at(double log_mass);

  /// Raises losses so low that all others add up to less than epsilon above them, up to some way below such sums: no
  /// such loss has a part in delta, while its depth would widen every window.
  void raise(const Direction& direction, double epsilon);

  /// Counts losses above `top` as mass at `top` and at +inf, with the same P- and Q-mass. Returns the probability that
  /// any step has an infinite loss then.
  double close(double top);

  /// Keeps the last result, as searches ask again at their last tilt: one object must not be shared by threads.
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

  /// The saddle at which delta, or epsilon, is the one given; not regular if the tilted composition is not.
  Saddle saddle_for_delta(double delta) const;
  Saddle saddle_for_epsilon(double epsilon) const;
  /// The same by few Newton steps and a correction of first order; `regular` is not checked.
  Saddle rough_saddle_for_delta(double log_delta) const { return for_delta(log_delta, 0.3); }
  Saddle rough_saddle_for_epsilon(double epsilon) const { return for_epsilon(epsilon, 0.1); }
  /// The least tilt at which Chernoff's inequality shows that delta(epsilon) is below all doubles; if there is none, a
  /// tilt right below that at which the mean jumps past epsilon.
  Saddle far_saddle(double epsilon) const;
  /// The saddle at which Q(L > epsilon) is about `rate` (direction +1), or Q(L <= epsilon) is (-1); rate <= 1/2. In the
  /// measure tilted by `measure`: 0 for P.
  Saddle saddle_for_rate(double rate, int direction, double measure = -1) const;

  /// The tilt of a saddle, or where that is next to 0 or negative one of a line right of 0, as contours need: the lower
  /// the farther epsilon lies below the mean, since rounding counts e^(K(tilt) - tilt epsilon) times as much.
  double tilt_right_of_zero(const Saddle& at) const;

  /// The given tilt, or a lower one at which losses that `truncated` leaves out hardly change the moment.
  double tilt_below_outliers(double tilt, const Saddlepoint& truncated) const;

  /// The loss at which Chernoff's inequality gives P(S > loss) <= e^-log_reciprocal in the measure tilted by `tilt`, by
  /// tilts within `limit` of that. Direction: +1 for P(S > loss), -1 for P(S < loss).
  ChernoffQuantile chernoff_quantile(double tilt, double log_reciprocal, int direction, double limit) const {
    return chernoff_quantile({tilt, cumulants(tilt)}, log_reciprocal, direction, limit);
  }
  /// The same with known cumulants at the tilt; the search begins at `nearby` unless that is NaN.
  struct Tilted {
    double tilt;
    Cumulants cumulants;
  };
  ChernoffQuantile chernoff_quantile(const Tilted& from, double log_reciprocal, int direction, double limit,
                                     double nearby = std::numeric_limits<double>::quiet_NaN()) const;

  /// A loss that all but far less than `missed` of the mass exceeds, by Chernoff's inequality.
  ChernoffQuantile exceeded(double missed) const;

  double total_count() const { return total_count_; }
  bool has_atoms() const;
  /// Number of steps, each weighted by its tilted mass outside of atoms that lie more than `apart` [nats] apart.
  double spread_count(double tilt, double apart) const;
  /// Number of steps, each weighted by its tilted mass; mass within a quarter of the interval of the step's heaviest
  /// loss is weighted by that distance. On a grid with a point there, it is spread in proportion to the distance.
  double moving_count(double tilt, double interval) const;
  std::size_t terms() const { return parts_.size(); }
  SeenNodes nodes(std::size_t term) const { return parts_[term].nodes(); }
  double count(std::size_t term) const { return parts_[term].count; }
  /// The loss to which lower ones were raised; -inf if none was.
  double lowest(std::size_t term) const { return parts_[term].lowest; }

 private:
  // A term. Copies share the nodes; each counts the lowest `seen` of them.
  struct Part {
    std::shared_ptr<const LossNodes> all;
    std::size_t seen;
    double count, log_total;
    AtomSketch atoms;  // of the pair
    double lowest = -std::numeric_limits<double>::infinity();

    SeenNodes nodes() const { return {{all->loss.data(), seen}, {all->log_mass.data(), seen}}; }
  };
  void add(LossNodes nodes, std::int64_t count, const AtomSketch& atoms);
  std::size_t below_largest(const Part& part, double log_mass) const;  // number of nodes that are left
  static double exceeded_with(const Part& part, double mass);          // a loss with this P-mass above it
  double close(Part& part, double top);                                // expected number of infinite losses then
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
