// SPDX-License-Identifier: Apache-2.0
// The law of a term T (Y - a), or T (1 - a Y), of a shuffled epoch, from above; T and Y are independent and log-normal
// with mean 1.
//
// Laws are measures here, not of mass 1: one measure is above another if every convex, non-decreasing function >= 0 has
// at least the other's integral. Convolutions keep this order. Moving mass up, raising masses, and splitting a mass
// between two places without moving its mean lead to a measure above.
#pragma once

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

/// A law above that of a term: masses at increasing places, the last of which is above 0. Masses above the last place
/// are moved down there, and `excess` bounds what their mean loses.
struct TermLaw {
  std::vector<double> places, masses;
  double excess = 0;
};

/// Places to both sides of 0: 2^bits of them up to `scale`, a power of two, as many from there to 3 scale, to 7 scale,
/// and so on: x + scale is a double of few bits.
struct TermGrid {
  double scale;
  int bits;
  double bottom, top;  // about where the places end; both at most 2^40 scale. Lower terms are raised to the first place
};

TermLaw term_law(const SplitLaw& t, const SplitLaw& y, Way way, double alpha, const TermGrid& grid);

}  // namespace hockeystick
