// SPDX-License-Identifier: Apache-2.0
// The mean of the positive part of a sum of independent terms, from above, by one Fourier transform.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mechanisms/curves/shuffle_terms.hpp"

namespace hockeystick {

/// Independent terms gain X_+ - loss X_-, X of the same law.
struct SameTerms {
  const TermLaw* law;
  std::int64_t count;
  double gain = 1, loss = 1;
};

/// Room to work in, kept from one sum to the next.
struct SumSpace {
  std::vector<double> room, circle;
};

/// An upper bound of E (sum of all terms - less)_+. `tilt` is where the search for a good tilt starts, and the tilt
/// found. Where `less` is far below the mean, terms are put on a coarser grid: it raises the variance of the sum by
/// about grid^2 / 6, in units of 1 / tilt^2.
double mean_positive_part(std::span<const SameTerms> terms, double less, double grid, double& tilt, SumSpace& space);

}  // namespace hockeystick
