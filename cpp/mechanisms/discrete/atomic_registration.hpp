// SPDX-License-Identifier: Apache-2.0
// Registers all pairs of one atomic law under their names:
//     const AtomicRegistration registration(discrete_laplace, "discrete_laplace", {{{"parameter", range}, ...}});
#pragma once

#include <string>

#include "mechanisms/discrete/atomic_pair.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {

/// Of noise on whole numbers, by a record.
inline constexpr Range shifts{1, 1e7, Range::Ends::closed, true};

using LawFactory = AtomicLaw (*)(Parameters);

/// Registers the pair of `law` as NAME, its reverse as NAME_back, and poisson_NAME_remove and poisson_NAME_add, whose
/// last parameter is the sampling probability.
struct AtomicRegistration {
  AtomicRegistration(LawFactory law, const std::string& name, const ParameterList& parameters);
};

}  // namespace hockeystick
