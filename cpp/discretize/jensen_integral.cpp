// SPDX-License-Identifier: Apache-2.0
#include "discretize/jensen_integral.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"
#include "numeric/interval.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {
namespace {

constexpr double tiny = 1e-300;  // covers underflow

struct CellEnds {
  double lower, upper;        // losses
  double at_lower, at_upper;  // g there
  double steepest;
};

// The loss at which Jensen's inequality puts all mass of the cell: log(p / q) = upper - log(1 + below / p).
double centre(const CellMass& cell, double upper) { return upper - math::log1p(cell.below / cell.p); }

}  // namespace

Interval loss_integral(const PairCells& parts, std::span<const double> edges, const LossFunction& g) {
  CompensatedSum low, high, error;
  CellEnds ends{0, edges[0], 0, g.value(edges[0]), 0};
  double slope = g.slope(edges[0]);
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    checkpoint_each<4096>(i);
    const double next_slope = g.slope(edges[i + 1]);
    ends = {ends.upper, edges[i + 1], ends.at_upper, g.value(edges[i + 1]), 1.02 * std::max(slope, next_slope)};
    slope = next_slope;
    const CellMass& cell = parts.cells[i];
    if (!(cell.p > 0)) continue;
    const double width = ends.upper - ends.lower, growth = math::expm1(width);
    const double weight = cell.below + (1 + growth) * cell.above;  // = (e^width - 1) p
    const double share = weight > 0 ? cell.below / weight : 0.0;
    const double middle = std::clamp(centre(cell, ends.upper), ends.lower, ends.upper);
    const double chord = share * ends.at_lower + (1 - share) * ends.at_upper, jensen = g.value(middle);
    const bool bent = ends.lower < g.bend && g.bend < ends.upper;
    const double spread = bent ? ends.steepest * width : 0.0;
    low.add(cell.p * (std::min(chord, jensen) - spread));   // proof: jensen-moments
    high.add(cell.p * (std::max(chord, jensen) + spread));  // proof: jensen-moments
    // Losses are off by loss_error and the rounding of the edges. The share of an end is off by share_error (of below
    // and above) and share_error_p / growth, which moves g by its spread over the cell. The centre is off by as much
    // times growth >= width. Then come the relative errors of p, and of g where |g| is largest.
    const double location = parts.loss_error + (parts.share_error * 3 + parts.mass_error + 16 * u) * growth +
                            3 * parts.share_error_p + 8 * u * std::max(std::fabs(ends.lower), std::fabs(ends.upper));
    const double largest = std::max(std::fabs(ends.at_lower), std::fabs(ends.at_upper)) + ends.steepest * width;
    error.add(cell.p * (2 * ends.steepest * location + (parts.mass_error + 128 * u) * largest));
  }
  // proof: jensen-moments
  const double slack = error.value() * (1 + 1e-9) + low.error_bound() + high.error_bound() + tiny;
  const double tail = parts.lower_tail_q * (1 + 8 * u);
  const double end = up(edges[0] + parts.loss_error);  // proof: jensen-moments
  const double lowest = std::min(0.0, g.tail_lowest(end)), highest = std::max(0.0, g.tail_highest(end));
  // proof: jensen-moments
  return {low.value() - slack + tail * lowest * (1 + 128 * u), high.value() + slack + tail * highest * (1 + 128 * u)};
}

Interval listed_integral(const FiniteLaw& law, const std::function<double(double)>& value,
                         const std::function<double(double)>& change) {
  CompensatedSum sum, error;
  for (std::size_t i = 0; i < law.atoms.size(); ++i) {
    checkpoint_each<4096>(i);
    const auto [loss, mass] = law.atoms[i];
    const double at = value(loss), term = mass * at;  // proof: listed-moments
    sum.add(term);
    // The change of the value is small relative to the value, or to its change over a few u of the loss.
    error.add((law.mass_error + 104 * u) * std::fabs(term) + mass * change(loss) * (1 + law.mass_error));
  }
  const double off = error.value() * (1 + 1e-9) + sum.error_bound() + tiny;  // proof: listed-moments
  return {sum.value() - off, sum.value() + off};
}

}  // namespace hockeystick
