// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

// One step of DP-SGD: the Gaussian mechanism on a Poisson subsample, in noise units, with
// mu = 1 / noise multiplier (relative error at most u) and sampling probability 0 < q < 1.
// Zhu, Dong, Wang (2022), Theorem 11, for removal and addition; Lebeda, Regehr, Kamath,
// Steinke (2025), Proposition 13, for replacement.

/// ((1-q) N(0,1) + q N(mu,1), N(0,1)).
std::shared_ptr<const DominatingPair> poisson_gaussian_remove(double mu, double q);

/// (N(0,1), (1-q) N(0,1) + q N(mu,1)), reflected so that the loss increases.
std::shared_ptr<const DominatingPair> poisson_gaussian_add(double mu, double q);

/// ((1-q) N(0,1) + q N(mu,1), (1-q) N(0,1) + q N(-mu,1)); its own reverse.
std::shared_ptr<const DominatingPair> poisson_gaussian_replace(double mu, double q);

}  // namespace hockeystick
