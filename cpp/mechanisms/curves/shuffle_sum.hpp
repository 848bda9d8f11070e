// SPDX-License-Identifier: Apache-2.0
// The mean of the positive part of a sum of independent terms, from above, by a sum along a line of complex tilts.
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
  std::vector<std::vector<double>> places, masses;
  std::vector<double> room;
};

/// An upper bound of E (sum of all terms - less)_+. `tilt` is where the search for a good tilt starts, and the tilt
/// found. A normal variable whose deviation is `smooth` / tilt is added to the sum, which raises the mean of a tail by
/// about smooth^2 / 2 of itself, and makes few points of the line suffice.
/// Any bound up to `enough` will do.
double mean_positive_part(std::span<const SameTerms> terms, double less, double smooth, double enough, double& tilt,
                          SumSpace& space);

}  // namespace hockeystick
