// SPDX-License-Identifier: Apache-2.0
#include "discretize/menu.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "discretize/pair_delta.hpp"
#include "mechanisms/curves/curve_law.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"
#include "numeric/runtime/checkpoint.hpp"

namespace hockeystick {
namespace {

constexpr double least_value = 1e-290;  // laws of curves do not hold smaller masses at +inf

}  // namespace

std::shared_ptr<const DominatingPair> menu_pair(std::span<const std::shared_ptr<const DominatingPair>> pairs,
                                                std::span<const double> losses) {
  EnclosedCurve curve;
  for (const double loss : losses) {
    if (!(std::fabs(loss) <= 640)) throw std::invalid_argument("losses must be in [-640, 640]");
    const double alpha = math::exp(loss);
    if (curve.alpha.empty() || alpha > curve.alpha.back()) curve.alpha.push_back(alpha);
  }
  if (pairs.empty() || curve.alpha.size() < 2)
    throw std::invalid_argument("losses must be at least two, and so pairs one");
  for (const double alpha : curve.alpha) {
    checkpoint_each<64>(curve.upper.size());
    const double exact = math::log(alpha);
    const double epsilon = exact - 4 * unit_roundoff * std::fabs(exact);  // proof: menu-curve
    double largest = std::max(0.0, up(1 - alpha));
    for (const auto& pair : pairs) {
      const bool is_past = !(pair->infinity_mass().upper > 0) && epsilon > pair->finite_loss_bound();
      if (!is_past) largest = std::max({largest, pair_delta_above(*pair, epsilon), least_value});
    }
    curve.upper.push_back(std::min(1.0, largest));
  }
  return atomic_pair(law_above(curve));
}

}  // namespace hockeystick
