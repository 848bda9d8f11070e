// SPDX-License-Identifier: Apache-2.0
// P-masses of a composition with relative errors only, for sums without transforms.
#pragma once

#include <vector>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// P-masses at the losses of a pmf, each on the safe side of the exact one and >= 0, as exact masses are. In sums of
/// them all terms have one sign and all errors are relative.
struct SafeMasses {
  std::vector<double> mass;
  double p = 0, q = 0;  // upper bounds of the sums of mass and of mass e^-loss
  double wrapped = 0;   // lower: P-mass from elsewhere that may be among them
  /// Relative error of a sum of all masses, in any order.
  double relative_error() const;
};

SafeMasses safe_masses(const LossPmf& pmf);

/// 1 - (1 - s)(1 - t), the mass at +inf of both, as a sum of terms of one sign.
double either(double s, double t);

}  // namespace hockeystick
