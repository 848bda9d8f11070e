// SPDX-License-Identifier: Apache-2.0
// Means of independent non-negative variables, bounded in convex order.
//
// X <=cx Y: E f(X) <= E f(Y) for all convex f. Splitting an atom between its neighbours with its mean kept raises a law
// in this order, merging atoms to their mean lowers it, and means of independent variables keep the order. So a
// variable that is moved to a grid by splits, convolved with itself and moved again lies above; by merging, below.
//
// The grid is log R = origin + k spacing, k whole: a mean of two points then lies as far from the larger one, whatever
// that is, and the pairs of one difference share their place and their weights.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "numeric/elementary.hpp"

namespace hockeystick {

enum class Order { above, below };

/// Masses are kept in this unit, so that neither they nor their products leave the range of doubles, down to 1e-300 of
/// probability at any loss.
inline constexpr double mass_unit = 0x1p-480;

/// Bounds E f(R) of a variable R >= 0 with E R at most about 1 for f >= 0, convex and either increasing or decreasing:
///     above:  E f(R) <= (1 + mass_error) (sum q_k f(e^a R_k) + zero f(0) + beyond e^a f'(inf)),
///     below:  E f(R) >= (1 - mass_error) (sum q_k f(e^-a R_k) + zero f(0) + beyond e^-a f'(inf)),
/// a = value_error for increasing f, -value_error for decreasing f.
struct GridLaw {
  Order order;
  double origin, spacing;
  std::int64_t first = 0;           // k of mass[0]
  std::vector<double> mass = {};    // q_k e^((origin + k spacing) / 2) / mass_unit
  std::vector<double> moment = {};  // below: mass[k] R_k / e^(origin + k spacing). Above R_k is on the grid.
  double zero = 0;                  // Q-mass of R = 0
  double beyond = 0;                // E R of values beyond all numbers: P-mass of an infinite loss
  double mass_error = 0, value_error = 0;

  std::int64_t last() const { return first + static_cast<std::int64_t>(mass.size()) - 1; }
  double log_value(std::int64_t k) const { return origin + static_cast<double>(k) * spacing; }
};

/// What may be cut off at the ends of a law: Q-mass below, P-mass above, and all above e^top.
struct Cuts {
  double below, above;
  double top = 1e300;
};

/// Ends the law where less than `cuts` lies outside: above, by splitting it between the ends and 0 or infinity; below,
/// by merging it to the ends.
void cut_ends(GridLaw& law, const Cuts& cuts);

/// How fine the grid of a mean of j copies should be, from the variance of one.
struct Resolution {
  double variance, cells;  // `cells` intervals in a deviation of log R, or in 1 if that is less
  double least, most;      // values of a law, about

  double interval(double j) const { return std::sqrt(std::min(1.0, math::log1p(variance / j))) / cells; }
};

/// The law of (R_1 + ... + R_t) / t for independent copies of R, t >= 1 and whole. Of a mean of j copies, one of up to
/// 2 log2(t), `cuts.below` j / t of Q-mass and `cuts.above` of P-mass may be cut; `cuts.top` is of the sum of them.
GridLaw mean_of(GridLaw law, double t, const Resolution& resolution, const Cuts& cuts);

}  // namespace hockeystick
