// SPDX-License-Identifier: Apache-2.0
// Steps that the user gives by their losses and masses, and the delta and epsilon of a single step.
#pragma once

#include <cstdint>
#include <span>

#include "pld/loss_pmf.hpp"

namespace hockeystick {

/// The step with mass[k] at index[k] * interval and `infinity_mass` at +inf; omits masses of 0. The masses count as
/// exact: the user certifies them. Throws std::invalid_argument unless the index increases and the masses are finite
/// and >= 0.
StepPmf given_step(double interval, std::span<const std::int64_t> index, std::span<const double> mass,
                   double infinity_mass, Side side);

/// Bound of delta(epsilon) of one step, of its side; any epsilon, infinite ones included. Cost: an exponential for each
/// loss above epsilon.
double step_delta(const StepPmf& step, double epsilon);

/// Upper: an epsilon >= 0 with step_delta(epsilon) <= delta, +inf if there is none. Lower: an epsilon >= 0
/// below which step_delta exceeds delta, or 0. Tight up to rounding.
double step_epsilon(const StepPmf& step, double delta);

}  // namespace hockeystick
