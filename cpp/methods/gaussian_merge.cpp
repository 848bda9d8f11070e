// SPDX-License-Identifier: Apache-2.0
#include "methods/gaussian_merge.hpp"

#include <cmath>

#include "mechanisms/gaussian/gaussian.hpp"
#include "numeric/rounding.hpp"
#include "numeric/sum.hpp"

namespace hockeystick {

MergedDirection merge_gaussians(const Direction& direction) {
  MergedDirection merged;
  CompensatedSum square;
  for (const Term& term : direction) {
    const double mu = term.pair->gaussian_mu();
    if (mu > 0)
      square.add(static_cast<double>(term.count) * mu * mu);
    else
      merged.terms.push_back(term);
  }
  if (square.value() > 0) {
    // mu carries u from the division; squaring, count, sum and root make 8 u of it at most.
    merged.mu = std::sqrt(square.value());
    merged.mu_error = 8 * unit_roundoff;  // proof: parameter-rounding
    merged.only_gaussian = merged.terms.empty();
    merged.terms.push_back({gaussian_pair(merged.mu, merged.mu_error), 1});
  }
  return merged;
}

}  // namespace hockeystick
