// SPDX-License-Identifier: Apache-2.0
// Laws of non-negative variables on a grid, which bound others in convex order (convex_convolution.hpp).
//
// The grid is log R = origin + k spacing, k whole: a mean of two points then lies as far from the larger one, whatever
// that is, and the pairs of one difference share their place and their weights.
#pragma once

#include <cstdint>
#include <vector>

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

/// Drops masses that underflow may have spoilt, and zeros at the ends.
void clean(GridLaw& law);

}  // namespace hockeystick
