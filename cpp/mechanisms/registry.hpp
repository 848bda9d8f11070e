// SPDX-License-Identifier: Apache-2.0
// Dominating pairs by name. A mechanism is one file of this folder that defines its pair and registers it:
//     const Registration laplace("laplace", 1, [](Parameters p) { return laplace_pair(p[0]); });
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

using Parameters = std::span<const double>;
using PairFactory = std::shared_ptr<const DominatingPair> (*)(Parameters);

/// Any number of parameters, which the factory checks.
constexpr int any_count = -1;

struct Registration {
  Registration(std::string name, int parameters, PairFactory make);
};

/// The pair registered under a name. Throws std::invalid_argument if there is none, or if the number of parameters is
/// wrong.
std::shared_ptr<const DominatingPair> dominating_pair(std::string_view name, Parameters parameters);

/// All names, sorted.
std::vector<std::string> pair_names();

}  // namespace hockeystick
