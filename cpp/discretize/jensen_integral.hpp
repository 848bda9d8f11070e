// SPDX-License-Identifier: Apache-2.0
// Intervals of E_P[g(L)], cell by cell. With x = e^L = dP/dQ this is E_Q[x g(log x)]; over a cell of given P- and
// Q-mass, the chord bounds a convex x g(log x) from above and Jensen's inequality from below; for a concave one the
// reverse.
#pragma once

#include <functional>
#include <span>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// A function g of the loss and its properties. |g'| must be largest at an end of every cell.
struct LossFunction {
  std::function<double(double)> value;  // relative error at most 100 u
  std::function<double(double)> slope;  // |g'|, to 1 %
  double bend;                          // x g(log x) is convex for losses above this, concave below
  // Bounds of E_Q[x g(log x)] per Q-mass of losses up to e, -inf included: lowest and highest value there.
  std::function<double(double)> tail_lowest, tail_highest;
};

/// E_P[g(L)] over all losses up to the last edge. Edges increase; no cell may be wider than 1.
Interval loss_integral(const PairCells& cells, std::span<const double> edges, const LossFunction& function);

/// The same over the losses of a finite law, as a sum. `value`: relative error at most 100 u; `change`: how much the
/// value may change within the law's loss_error of a loss.
Interval listed_integral(const FiniteLaw& law, const std::function<double(double)>& value,
                         const std::function<double(double)>& change);

}  // namespace hockeystick
