// SPDX-License-Identifier: Apache-2.0
// Moments of a mean of independent copies of a positive variable, such as the likelihood ratio of a random allocation.
#pragma once

#include <span>
#include <vector>

#include "numeric/interval.hpp"

namespace hockeystick {

inline constexpr std::size_t most_moments = 128;

/// Encloses log E X^k at whole k, X the mean of `steps` copies of a variable of which the logarithms of the moments,
/// each >= 0, are given from k = 0 on.
std::vector<Interval> log_moments_of_mean(std::span<const Interval> log_moments, double steps);

/// Encloses log E (Y - 1)^k, k <= most_moments, for Y = e^(mu x - mu^2 / 2), x standard normal.
std::vector<Interval> log_central_moments(double mu);

/// Encloses log E R^(1 + s), s > 0, of a variable R >= 0 of mean 1, by the logarithms of its central moments, each >=
/// 0. Close where R is near 1, or 1 + s is whole; an end is infinite where too few moments are given.
Interval log_moment_by_central(std::span<const Interval> central, double s);

}  // namespace hockeystick
