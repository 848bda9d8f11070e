// SPDX-License-Identifier: Apache-2.0
// The parameter mu of Gaussian differential privacy that every epsilon-differentially private mechanism has.
#pragma once

namespace hockeystick {

/// An upper bound of the mu at which N(mu, 1) against N(0, 1) tells at least as much as whatever is epsilon-DP, epsilon
/// in [0, 600] (cpp/proofs/pure-gaussian-dp.md).
double pure_mu_above(double epsilon);

}  // namespace hockeystick
