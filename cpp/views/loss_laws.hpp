// SPDX-License-Identifier: Apache-2.0
// Tails and quantiles of privacy losses whose law is known without a grid.
#pragma once

#include "methods/enumeration.hpp"
#include "methods/participations.hpp"
#include "numeric/interval.hpp"

namespace hockeystick {

/// 1 - level, rounded down and up, for the side that must not be overstated.
Interval rest_of(double level);

/// P(L > epsilon) of a plain Gaussian, of listed sums, and by the number of steps that a record joins.
Interval gaussian_tail(double mu, double mu_error, double epsilon);
Interval listed_tail(const Enumeration& sums, double epsilon);
Interval joined_tail(const Participations& run, double epsilon);

/// The quantile at a level, by the same laws.
Interval gaussian_quantile(double mu, double mu_error, double level);
Interval listed_quantile(const Enumeration& sums, double level);
Interval joined_quantile(const Participations& run, double level);

}  // namespace hockeystick
