// SPDX-License-Identifier: Apache-2.0
// Outputs N(f_l(D), s_l^2 I) for l = 1, ..., m on the same records, where one record moves f_l by at most c_l. Divided
// by s_l they are one output with noise N(0, I) that a record moves by at most mu, mu^2 = sum of (c_l / s_l)^2, in
// whatever directions; N(mu, 1) against N(0, 1) dominates that, as a Gaussian pair depends on the length of its shift
// alone. A record moves all of f_l the farthest at once in some data, so that the pair is attained.
#include "mechanisms/gaussian/joint_gaussian.hpp"

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

#include "mechanisms/gaussian/gaussian.hpp"
#include "numeric/constants.hpp"
#include "numeric/twofold.hpp"

namespace hockeystick {

// A square is a quotient by the noise twice, within 2^-96 of itself, and the sum of up to 1e6 of them within 2^-76. One
// step of Newton's method takes the root, off by u, to the square of that; the last sum rounds to the nearest double.
double joint_mu(Parameters p) {
  if (p.empty() || p.size() % 2 != 0)
    throw std::invalid_argument("parameters must be noise multipliers, then a count for each, got " +
                                std::to_string(p.size()));
  const std::size_t parts = p.size() / 2;
  Twofold square{0, 0};
  for (std::size_t l = 0; l < parts; ++l) {
    const double noise = checked("noise_multipliers", p[l], {5e-4, 1e12});
    const double count = checked("counts", p[parts + l], {1, 1e18});
    square = add(square, divide(divide({count, 0}, noise), noise));
  }
  const double root = std::sqrt(square.hi);
  const auto [product, error] = two_product(root, root);
  return root + ((square.hi - product) - error + square.lo) / (2 * root);
}

namespace {

// proof: parameter-rounding
const Registration registration("joint_gaussian", std::nullopt,
                                [](Parameters p) { return gaussian_pair(joint_mu(p), 1.01 * u); });

}  // namespace
}  // namespace hockeystick
