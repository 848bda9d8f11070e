// SPDX-License-Identifier: Apache-2.0
// Groups of records on a Poisson subsample, from groups of as many records on all data.
//
// Of a group j records are drawn with probability w_j. The output has then a law P_S, S those drawn, or Q if none is,
// and (P_S, Q) is a pair of a group of j = |S|. A test T with Q(T) = x has P_S(T) <= g_j(x), the power of that group,
// and so sum w_S P_S(T) <= w_0 x + sum w_j g_j(x). In terms of curves, for whatever a_j > 0:
//     removed:  h(w_0 + sum w_j a_j)     <=  sum w_j h_j(a_j),
//     added:    h(1 / (w_0 + sum w_j / a_j))  <=  sum w_j h_j(a_j) / a_j  over the same sum.
// Where one family of nested tests is the best of all groups, it attains this: noise with a log-concave density that
// is moved by j. Page sampled-groups.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "mechanisms/discrete/atomic_pair.hpp"
#include "run/run_curve.hpp"

namespace hockeystick {

/// A group of j records, of which j are drawn with the probability `weight`, within 1.01 u. The points are of its
/// curve: h lies below them, or above the chord in each gap.
struct DrawnGroup {
  ChordPoints points;
  double weight;
};

/// About `most` points above the curve of the sampled group. No record is drawn with the probability `none`, and
/// numbers of records that are not listed with a probability of at most `rest`.
EnclosedCurve sampled_above(std::span<const DrawnGroup> groups, double none, double rest, bool removed,
                            std::size_t most);

/// Points whose chords lie below the curve, if the same tests are the best of all groups.
ChordPoints sampled_below(std::span<const DrawnGroup> groups, double none, double rest, bool removed, std::size_t most);

/// A law above the sampled group or, by nested tests, below it. `groups` are those of 1, 2, ... records on all data;
/// `rates` those of all records of the group; `others` points above its curve, or none. `cells` and `tail` are as in
/// Accuracy.
AtomicLaw sampled_group_law(std::span<const BothWays> groups, std::span<const double> rates, bool removed, double cells,
                            double tail, bool above, const EnclosedCurve& others);

}  // namespace hockeystick
