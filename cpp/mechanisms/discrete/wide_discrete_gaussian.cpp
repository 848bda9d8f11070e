// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/discrete/wide_discrete_gaussian.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/elementary.hpp"

namespace hockeystick {

// Rounding a Gaussian of variance sigma^2 - r^2 at random, with noise of variance r^2, gives the discrete one but for a
// probability of e^-E; noise of variance r^2 on the discrete one gives a Gaussian of variance sigma^2 + r^2 as nearly.
std::array<double, 2> gaussians_about(double sigma, double moved) {
  constexpr double spread = 1e-9;  // relative: outweighs e^-E, and the 10 u of the operations
  const double mu = 2 * moved / sigma;
  const double E = 30 + mu * mu / 8 - 2 * math::log(std::min(mu, 1.0));
  const double r2 = E / 19;                                           // proof: wide-discrete-gaussian
  return {std::sqrt(sigma * sigma - r2) / moved * (1 - spread),       // proof: wide-discrete-gaussian
          std::sqrt(sigma * sigma + r2) / moved * (1 + 2 * spread)};  // proof: wide-discrete-gaussian
}

}  // namespace hockeystick
