// SPDX-License-Identifier: Apache-2.0
// Zero-concentrated DP: the smallest rho with D_a <= rho a over a range of Renyi orders, from divergences at some of
// them. K(t) = t D_(t+1) is convex and 0 at 0, so that D_a / a = K / (t (t + 1)) lies under the same ratio of K's
// chords.
#pragma once

#include <functional>

#include "methods/question.hpp"
#include "numeric/interval.hpp"
#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// Whether an answer is as close as asked, relatively. An infinite answer is if it is certain, and so is an answer
/// below 1e-290.
bool is_within(const Answer& answer, double tolerance);

/// Encloses the largest D_a / a over orders 1 < a <= largest (inf: all). `renyi` encloses D_a of an order within 0.3 of
/// the tolerance; `beyond` bounds D_a / a from above over all orders >= a, and its limit for large a from below.
/// `known` is a lower end of the answer, from other directions. Each pair runs at least `steps` times; 0: the
/// divergences are bounds, of no pair of distributions.
Answer largest_renyi_slope(const std::function<Answer(double order)>& renyi,
                           const std::function<Interval(double order)>& beyond, double largest, double tolerance,
                           double known, double steps);

/// Bound, of the distribution's side, of the largest D_a / a of one distribution.
double largest_renyi_slope(const LossPmf& pmf, double largest);

}  // namespace hockeystick
