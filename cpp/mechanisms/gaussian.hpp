// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// N(mu, 1) against N(0, 1): the Gaussian mechanism in noise units, mu = 1 / noise multiplier; its
/// own reverse. L(x) = mu x - mu^2/2. `mu_error` bounds the relative error of mu.
std::shared_ptr<const DominatingPair> gaussian_pair(double mu, double mu_error);

struct CertifiedInterval {
  double lower, upper;
};

/// delta(epsilon) of the pair above, enclosed, epsilon >= 0 (Balle & Wang 2018, Theorem 8).
CertifiedInterval gaussian_delta(double mu, double mu_error, double epsilon);

/// The smallest epsilon >= 0 with delta(epsilon) <= delta, enclosed to about 1e-13 relative.
CertifiedInterval gaussian_epsilon(double mu, double mu_error, double delta);

}  // namespace hockeystick
