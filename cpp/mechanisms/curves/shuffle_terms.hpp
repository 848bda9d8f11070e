// SPDX-License-Identifier: Apache-2.0
// The law of a term T (Y - a), or T (1 - a Y), of a shuffled epoch, from above; T and Y are independent and log-normal
// with mean 1.
//
// Laws are measures here, not of mass 1: one measure is above another if every convex, non-decreasing function >= 0 has
// at least the other's integral. Convolutions keep this order. Moving mass up, raising masses, and splitting a mass
// between two places without moving its mean lead to a measure above.
#pragma once

#include <cstdint>
#include <vector>

namespace hockeystick {

/// A log-normal law of mean 1, each cell split between its ends: values[0] = 0. Above it but for values above the last
/// one, which count as the last one; `excess` bounds what their mean loses. Values are within `off` of themselves.
struct SplitLaw {
  std::vector<double> values, masses;
  double excess = 0, off = 0, step = 0;  // cells of the normal variable are `step` wide
};

/// The law of e^(deviation g - deviation^2 / 2), g normal, in cells of `width`, which is rounded down to a power of
/// two. About `tail` of the mean may lie above the last value. The deviation, in [2^-20, 64], must be a multiple of
/// 2^-40.
SplitLaw split_lognormal(double deviation, double width, double tail);

/// Which record the question is about: T (Y - a) or T (1 - a Y).
enum class Way { forth, back };

/// A law above that of a term on the grid `spacing` k; masses above the last place are moved down there, and `excess`
/// bounds what their mean loses. The last place has mass.
struct TermLaw {
  double spacing = 0;
  std::int64_t first = 0;
  std::vector<double> masses;
  double excess = 0;

  double at(std::size_t k) const { return spacing * static_cast<double>(first + static_cast<std::int64_t>(k)); }
};

/// Places of the grid from about `bottom`, to which lower terms are raised, to about `top`. `spacing`: a power of two.
TermLaw term_law(const SplitLaw& t, const SplitLaw& y, Way way, double alpha, double spacing, double bottom,
                 double top);

/// A law above that of gain X_+ - loss X_- on the grid of the new `spacing`, a power of two.
TermLaw stretched(const TermLaw& law, double gain, double loss, double spacing);

}  // namespace hockeystick
