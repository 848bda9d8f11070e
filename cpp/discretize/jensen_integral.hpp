// SPDX-License-Identifier: Apache-2.0
// Enclosures of E_P[g(L)], cell by cell: with x = e^L = dP/dQ it is E_Q[x g(log x)], and over a cell of given P- and
// Q-mass the chord bounds a convex x g(log x) from above, Jensen's inequality from below; a concave one reversed.
#pragma once

#include <functional>
#include <span>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// g, and what the enclosure needs to know of it. |g'| must be largest at an end of every cell.
struct LossFunction {
  std::function<double(double)> value;  // relative error at most 100 u
  std::function<double(double)> slope;  // |g'|, to 1 %
  double bend;                          // x g(log x) is convex for losses above this, concave below
  // Bounds of E_Q[x g(log x)] per Q-mass of losses up to e, -inf included: lowest and highest value there.
  std::function<double(double)> tail_lowest, tail_highest;
};

/// Over all losses up to the last edge. Edges increase; cells must not be wider than 1.
Interval loss_integral(const PairCells& cells, std::span<const double> edges, const LossFunction& function);

/// The same over the losses that a finite law lists, by their sum. `value`: relative error at most 100 u; `change`: by
/// how much it may differ within the law's loss_error of a loss.
Interval listed_integral(const FiniteLaw& law, const std::function<double(double)>& value,
                         const std::function<double(double)>& change);

}  // namespace hockeystick
