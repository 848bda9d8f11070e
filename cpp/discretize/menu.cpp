// SPDX-License-Identifier: Apache-2.0
#include "discretize/menu.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "discretize/pair_delta.hpp"
#include "mechanisms/curves/curve_law.hpp"
#include "numeric/elementary.hpp"
#include "numeric/rounding.hpp"

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
    throw std::invalid_argument("pairs must be at least one, and losses at least two");
  std::vector<double> epsilons;
  for (const double alpha : curve.alpha) {
    const double exact = math::log(alpha), epsilon = exact - 4 * unit_roundoff * std::fabs(exact);  // proof: menu-curve
    epsilons.push_back(epsilon);
    curve.upper.push_back(std::max(0.0, up(1 - alpha)));
  }
  for (std::size_t k = epsilons.size(); k-- > 1;) epsilons[k - 1] = std::min(epsilons[k - 1], epsilons[k]);
  for (const auto& pair : pairs) {
    const bool is_bounded = !(pair->infinity_mass().upper > 0);
    const std::vector<double> deltas = pair_deltas_above(*pair, epsilons);
    for (std::size_t k = 0; k < deltas.size(); ++k)
      if (!(is_bounded && epsilons[k] > pair->finite_loss_bound()))
        curve.upper[k] = std::max({curve.upper[k], deltas[k], least_value});
  }
  for (double& upper : curve.upper) upper = std::min(1.0, upper);
  return atomic_pair(law_above(curve));
}

}  // namespace hockeystick
