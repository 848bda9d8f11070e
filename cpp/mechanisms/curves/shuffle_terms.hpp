// SPDX-License-Identifier: Apache-2.0
// The law of a term of a shuffled epoch, from above: of what a batch tells of the record's place, at an alpha.
//
// With y = e^(mu g - mu^2 / 2), g normal, and kappa = e^-(mu^2), the term is above 0 as y is above alpha, or, where the
// record is lost and nothing replaces it, as kappa y^2 above alpha y; below 0 it is as 1 below alpha y, or, where such
// a record comes back, as y below alpha kappa y^2 (cpp/proofs/shuffled-terms.md).
//
// Laws are measures here, not of mass 1: one measure is above another if every convex, non-decreasing function >= 0 has
// at least the other's integral. Convolutions keep this order. Moving mass up, raising masses, and splitting a mass
// between two places without moving its mean lead to a measure above.
#pragma once

#include <vector>

namespace hockeystick {

/// A log-normal law of mean 1, that of e^(deviation g - deviation^2 / 2), g normal, each cell of g split between its
/// ends: values[0] = 0, and values[k + 1] at equal steps of g. Above it but for values above the last one, which count
/// as the last one; `excess` bounds what their mean loses. Values are within `off` of themselves.
struct SplitLaw {
  std::vector<double> values, masses;
  double excess = 0, off = 0, step = 0;
};

/// In cells of `width`, which is rounded down to a power of two. About `tail` of the mean may lie above the last value.
/// The deviation, in [2^-20, 64], must be a multiple of 2^-40.
SplitLaw split_lognormal(double deviation, double width, double tail);

/// Which record the question is about: whether it is lost, or comes back.
enum class Way { forth, back };

/// A law above that of a term: masses at increasing places, the last of which is above 0. Masses above the last place
/// are moved down there, and `excess` bounds what their mean loses.
struct TermLaw {
  std::vector<double> places, masses;
  double excess = 0;
};

/// Places to both sides of 0: after x comes ratio x + near / 4, as close places next to 0 would tell little.
struct TermGrid {
  double near, ratio;  // closer to 0 there is none but 0 itself
  double bottom, top;  // where the places end, both > near. Lower terms are raised to the first place
};

/// mu: as a deviation of split_lognormal. Where records replace each other, both ways have the same law.
TermLaw term_law(double mu, bool replaces, Way way, double alpha, const TermGrid& grid);

}  // namespace hockeystick
