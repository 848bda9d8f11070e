// SPDX-License-Identifier: Apache-2.0
#include "mechanisms/gaussian/pure_mu.hpp"

#include "numeric/constants.hpp"
#include "numeric/elementary.hpp"
#include "numeric/normal_quantile.hpp"
#include "numeric/range.hpp"

namespace hockeystick {

// mu = 2 z with P(Z > z) = 1 / (1 + e^epsilon): the exponential, the sum and the quotient round it by less than 4 u.
double pure_mu_above(double epsilon) {
  if (checked("epsilon", epsilon, {0, 600}) == 0) return 0;
  const double rate = 1 / (1 + math::exp(epsilon)) * (1 - 8 * unit_roundoff);  // proof: pure-gaussian-dp
  return 2 * upper_normal_quantile(rate).upper;
}

}  // namespace hockeystick
