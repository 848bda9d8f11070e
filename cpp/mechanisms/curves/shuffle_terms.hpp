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

/// A log-normal law of mean 1, that of e^(deviation g - deviation^2 / 2), g normal, each cell of g split between its
/// ends: values[0] = 0, and values[k + 1] at g = first + k step. Above it but for values above the last one, which
/// count as the last one; `excess` bounds what their mean loses. Values are within `off` of themselves.
struct SplitLaw {
  std::vector<double> values, masses;
  double excess = 0, off = 0;
  double deviation = 0, first = 0, step = 0;
};

/// In cells of `width`, which is rounded down to a power of two. About `tail` of the mean may lie above the last value.
/// The deviation, in [2^-20, 64], must be a multiple of 2^-40.
SplitLaw split_lognormal(double deviation, double width, double tail);

/// Which record the question is about: T (Y - a) or T (1 - a Y).
enum class Way { forth, back };

/// A law above that of a term: masses at increasing places, the last of which is above 0. Masses above the last place
/// are moved down there, and `excess` bounds what their mean loses.
struct TermLaw {
  std::vector<double> places, masses;
  double excess = 0;
};

/// Places to both sides of 0, geometric: `parts` of them, a power of two, from a value of T to the next one.
struct TermGrid {
  int parts;
  double near;         // closer to 0 there is none but 0 itself
  double bottom, top;  // about where the places end, both > near. Lower terms are raised to the first place
};

/// T as given, of Y the deviation. About 1e-6, or `tail`, of the mean of Y may lie where it can be moved up, or above
/// the last value. `reach`: the upper quantile of `tail`.
TermLaw term_law(const SplitLaw& t, double deviation, double reach, Way way, double alpha, const TermGrid& grid);

}  // namespace hockeystick
