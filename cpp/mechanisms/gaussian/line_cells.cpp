// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/line_cells.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"

namespace hockeystick {
namespace {

// At most e^-y for y >= 0, since e^-v >= 1 - v.
double lower_exp(double y) {
  double power = std::max(0.0, 1 - y / 16);
  for (int i = 0; i < 4; ++i) power *= power;
  return power;
}

// The largest slope that a negative exponent of e^lambda has in a cell.
double bent(const CellEnd& left, const CellEnd& right, const SmoothWeights& weights) {
  return weights.ahead < 0 ? right.slope : left.slope_behind;
}

}  // namespace

// A normal density is smallest at an end, e^(own lambda + tilt L) is monotone or has a slope, and dL/dx of each side is
// monotone.
Bar bar_between(const BarEnd& left, const BarEnd& right, const SmoothWeights& weights, double tilt) {
  const bool rising = weights.ahead > 0;
  const BarEnd& farther = std::fabs(left.x) > std::fabs(right.x) ? left : right;  // proof: contour-tail
  const BarEnd& other = rising ? left : right;                                    // proof: contour-tail
  double least = farther.density;
  if (&farther != &other) least *= lower_exp(farther.growth - other.growth);  // proof: contour-tail
  const double growth = weights.steepest_growth(tilt, right.slope, left.slope_behind) * (right.x - left.x);
  if (growth > 0) least = farther.density * lower_exp(growth * (1 + 1e-9));  // proof: contour-tail
  const double sides = std::fabs(weights.behind);
  const double flattest = left.slope + sides * right.slope_behind;  // proof: contour-tail
  const double steepest = right.slope + sides * left.slope_behind;  // proof: contour-tail
  const double apart = std::fabs(right.loss - left.loss);
  const double width = std::max(flattest * (right.x - left.x) * (1 - 4 * u),  // proof: contour-tail
                                (1 - 1e-9) * apart - left.loss_error - right.loss_error);
  return {steepest > 0 ? least / steepest : 0.0, width};
}

std::vector<MomentDecay::Cell> decay_cells(std::span<const CellEnd> ends, const SmoothWeights& weights, double tilt) {
  const bool rising = weights.ahead > 0;
  std::vector<MomentDecay::Cell> cells;
  cells.reserve(ends.size() - 1);
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const CellEnd &left = ends[i], &right = ends[i + 1];
    const CellEnd &near_0 = std::fabs(left.x) < std::fabs(right.x) ? left : right, &largest = rising ? right : left;
    double most = near_0.log_density + left.off + right.off;         // proof: moment-decay
    if (left.x < 0 && right.x > 0) most += near_0.x * near_0.x / 2;  // proof: moment-decay
    const double growth = weights.steepest_growth(tilt, right.slope, left.slope_behind) * (right.x - left.x);
    if (growth > 0)
      most += growth * (1 + 1e-9);  // proof: moment-decay
    else if (&near_0 != &largest)
      most += std::fabs(largest.growth - near_0.growth) * (1 + 1e-9);  // proof: moment-decay
    // proof: moment-decay
    cells.push_back(
        {most + math::log(right.x - left.x) + 1e-9, left.slope, right.slope_behind, bent(left, right, weights)});
  }
  return cells;
}

MomentDecay::Cell upright(const CellEnd& end, const SmoothWeights& weights) {
  return {end.log_density + end.off, end.slope, end.slope_behind, bent(end, end, weights)};  // proof: moment-decay
}

}  // namespace hockeystick
