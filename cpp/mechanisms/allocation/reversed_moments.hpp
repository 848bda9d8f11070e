// SPDX-License-Identifier: Apache-2.0
// Negative moments of the mean of log-normal variables: the Renyi divergences of a random allocation of Gaussian steps
// when the record is added.
//
// With R the mean of t independent copies of Y, E R^-s is an integral of the Laplace transform of R, which is the power
// t of the transform of Y: E R^-s Gamma(s) = the integral of x^(s-1) E e^(-x R) over x > 0.
#pragma once

#include <algorithm>

#include "numeric/interval.hpp"
#include "numeric/lognormal_transform.hpp"

namespace hockeystick {

/// Encloses log E R^-s, s > 0, for the mean of `steps` copies. Nodes suffice for an error of about e^-nats of the
/// moment; the upper end is infinite where no transform is known far enough out.
Interval reversed_log_moment(const LognormalTransform& transform, double steps, double s, double nats);

/// A guess of its work [ns]: where s is small nodes reach far down, and where s mu^2 is large next to the steps the
/// transform of each takes many. Measured at noise .6 to 900, 10 to 10^4 steps and s from 10^-4 to 10^6: .01 to 3 ms.
inline double reversed_moment_work(double mu, double steps, double s) {
  return 2e4 + (s < 0.1 ? 1e6 : 0) + 3e5 * std::min(s * mu * mu / steps, 10.0);
}

/// Encloses log E e^(-c Y), c > 0, Y = e^(mu x - mu^2 / 2), x standard normal; the rule is off by about e^-nats of it.
Interval log_transform(double mu, double c, double nats);

}  // namespace hockeystick
