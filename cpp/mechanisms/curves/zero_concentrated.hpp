// SPDX-License-Identifier: Apache-2.0
// Upper bounds for every rho-zCDP mechanism (Canonne, Kamath & Steinke 2020, Proposition 12 and Corollary 13).
#pragma once

#include <functional>

#include "mechanisms/discrete/atomic_pair.hpp"

namespace hockeystick {

/// Upper bound of the total variation between laws whose divergence of Kullback and Leibler is at most `divergence`.
double variation_above(double divergence);

/// Where a curve is enclosed: at losses 0, first, first + step and so on, until it falls to `tail`.
struct BothDirections {
  double divergence;  // of Kullback and Leibler, at most, in both directions
  double first, step, tail;
};

/// A law that dominates every pair whose curve, and whose reverse's curve, is at most value(epsilon) at e^epsilon for
/// all epsilon >= 0.
AtomicLaw law_of_both_directions(const BothDirections& points, const std::function<double(double)>& value);

/// The least order from `t` on, up to 2 %, at which the two outcomes of "zero_concentrated_below" are known to be
/// rho-zCDP; infinity where there is none.
double least_concentrated_order(double rho, double t);

/// Upper bound of delta at epsilon >= 0, by the order 1 + t, t > 0, and by the total variation.
double zero_concentrated_delta(double rho, double epsilon, double t);

/// Upper bound of epsilon >= 0 at delta, by the same order and by the total variation.
double zero_concentrated_epsilon(double rho, double delta, double t);

}  // namespace hockeystick
