// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "methods/question.hpp"

namespace hockeystick {

/// A direction with all its Gaussian terms replaced by the one they compose to: mu^2 adds up.
struct MergedDirection {
  Direction terms;  // the merged Gaussian, if any, is the last, with count 1
  bool only_gaussian = false;
  double mu = 0, mu_error = 0;  // of the merged Gaussian; relative error
};

MergedDirection merge_gaussians(const Direction& direction);

}  // namespace hockeystick
