// SPDX-License-Identifier: Apache-2.0
// The trade-off curve of the Gaussian mechanism.
#pragma once

#include "mechanisms/gaussian/gaussian.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// The largest power of a test of N(mu, 1) against N(0, 1) at a false positive rate, enclosed: P(Z > z - mu) with P(Z >
/// z) = fpr (Dong, Roth & Su 2022, G_mu). 0 < fpr < 1; mu_error as in gaussian_pair.
Interval gaussian_power(double mu, double mu_error, double fpr);

/// The mu at which that power equals `power`, enclosed: z(fpr) - z(power). Both are in (0, 1).
Interval gaussian_mu_of(double fpr, double power);

/// An upper bound of the mu at which N(mu, 1) against N(0, 1) dominates every epsilon-DP mechanism, epsilon in [0, 600]
/// (cpp/proofs/pure-gaussian-dp.md).
double pure_mu_above(double epsilon);

}  // namespace hockeystick
