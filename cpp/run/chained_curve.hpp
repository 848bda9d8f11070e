// SPDX-License-Identifier: Apache-2.0
// Upper bounds of the curve of two datasets that a chain of neighbours joins.
//
// Let (P, M) have the curve h_1 and (M, Q) the curve h_2. For every set P(S) <= a M(S) + h_1(a) and M(S) <= b Q(S) +
// h_2(b), hence h(a b) <= a h_2(b) + h_1(a): of all factors of a number the least bound holds (Dong, Roth & Su 2022,
// Theorem 2.14, in terms of curves). Groups of k records are joined by k neighbours.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mechanisms/curves/curve_law.hpp"
#include "run/run_curve.hpp"

namespace hockeystick {

/// A chain of neighbours, all of whose links have the same curve.
struct Links {
  BothWays run;
  std::int64_t times;
};
using Chain = std::vector<Links>;

/// Upper bounds of the curve of a chain of two at losses k times a spacing, k = -n, ..., n, from those of both and
/// upper bounds of the powers of e there: at each the least of what its parts on the grid bound.
std::vector<double> chained_values(std::span<const double> first, std::span<const double> second,
                                   std::span<const double> powers);

/// Points above the smallest of the curves of several chains between the same datasets. `cells` and `tail` are as in
/// Accuracy.
EnclosedCurve least_chained(std::span<const Chain> chains, double cells, double tail);

}  // namespace hockeystick
