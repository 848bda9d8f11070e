// SPDX-License-Identifier: Apache-2.0
// Privacy loss distributions on a grid, of one step and of a composition, and the bounds that they certify.
#pragma once

#include <cstdint>
#include <vector>

namespace hockeystick {

/// Which side of the exact hockey-stick curve a distribution certifies.
enum class Side { lower, upper };

/// One step's privacy loss distribution on a nonuniform support: some multiples of the interval.
///
/// For a dominating pair (P, Q) let D(eps) = infinity_mass + sum_k mass[k] (1 - e^(eps - loss_k))_+ in exact arithmetic
/// over the stored doubles. Certificate, for every real eps:
///     upper:  delta(eps) <= D(eps - loss_error),      lower:  delta(eps) >= D(eps + loss_error),
/// and compositions have it too, with the sum of the loss errors. The masses already contain their rounding.
struct StepPmf {
  double interval;                  // discretization interval d [nats]
  double offset;                    // [nats]; shifts the whole grid, so that an end of the loss can lie on it
  std::vector<std::int64_t> index;  // increasing; loss_k = offset + index[k] d
  std::vector<double> mass;         // P-mass, each > 0
  double infinity_mass;             // P-mass at +inf, bounded from the side
  double reverse_infinity_mass;     // Q-mass at -inf, which the reversed pair has at +inf; lower: 0
  double loss_error;                // [nats]
  Side side;

  double loss(std::size_t k) const { return offset + interval * static_cast<double>(index[k]); }
};

/// A composed privacy loss distribution on the grid loss_k = offset + (first + k) d, tilted: the P-mass at loss_k is
/// mass[k] e^(log_scale - tilt loss_k).
///
/// With D as above over all k (and the masses that `mass` approximates),
///     upper:  delta(eps) <= D(eps - loss_error) + tail_above,
///     lower:  delta(eps) >= D(eps + loss_error) - wrapped (as tilted mass at the worst place),
/// for every eps >= loss_0; hockey_stick.hpp evaluates both and adds the transform errors.
struct LossPmf {
  double interval;
  double offset;  // [nats]; the steps' offsets add up
  std::int64_t first;
  std::vector<double> mass;  // negative ones are transform errors
  double tilt;
  double log_scale, log_scale_low;  // their sum, in two doubles
  double point_error;               // |mass[k] - exact| <= point_error
  double tail_above;                // upper: P-mass above the last loss; lower: 0
  double tail_below;                // upper: Q-mass below the first loss; lower: 0
  double p_below, q_above;          // upper: P-mass below the first loss, Q-mass above the last; lower: 0
  double wrapped;                   // lower: tilted mass from elsewhere that may sit at any loss; upper: 0
  double infinity_mass;             // P-mass at +inf, bounded from the side
  double reverse_infinity_mass;     // Q-mass at -inf; lower: 0
  // A lower curve says h_low <= h, and h(alpha) of the reversed pair is 1 - alpha + alpha h(1/alpha): the reversed
  // curve must subtract its Q-mass above 1 and alpha times its missing P-mass. Upper: 0.
  double reverse_excess, reverse_deficit;  // what the reversed distribution subtracts
  double excess, deficit;                  // what this one subtracts, if it is a reversed one
  // P-masses at losses with error loss_error are Q-masses with the factor e^loss_error, by which reflection raises an
  // upper curve and lowers a lower one.
  double factor = 1, reverse_factor = 1;  // of all finite masses; 1 if not reflected
  double loss_error;                      // [nats]
  double least, largest;                  // [nats]; all finite losses lie within, up to loss_error
  Side side;

  double loss(std::size_t k) const {
    return offset + interval * static_cast<double>(first + static_cast<std::int64_t>(k));
  }
};

}  // namespace hockeystick
