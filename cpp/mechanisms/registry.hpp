// SPDX-License-Identifier: Apache-2.0
// Dominating pairs by name. A mechanism is one file of this folder that defines its pair and registers it:
//     const Registration laplace("laplace", {{"noise_multiplier", ranges::noise_multiplier}}, &make);
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mechanisms/dominating_pair.hpp"
#include "numeric/range.hpp"

namespace hockeystick {

using Parameters = std::span<const double>;
using PairFactory = std::function<std::shared_ptr<const DominatingPair>(Parameters)>;

/// What a pair is made from.
struct Parameter {
  std::string_view name;
  Range range;
};
/// What several pairs are made from.
namespace parameter {

/// As `ranges::noise_multiplier`, and wider: replacing a record halves it, and a central limit may be any.
inline constexpr Parameter noise_multiplier{"noise_multiplier", {5e-4, 1e300}};
inline constexpr Parameter sampling_probability{"sampling_probability", ranges::inner_probability};
/// How finely a pair is cut, and what it may leave out; what users ask for decides them.
inline constexpr Parameter cells{"cells", {1, 1e4}}, tail{"tail", {1e-16, 1, Range::Ends::open_above}};

}  // namespace parameter

/// None: any number of parameters, which the factory checks.
using ParameterList = std::optional<std::vector<Parameter>>;

struct Registration {
  Registration(std::string name, ParameterList parameters, PairFactory make);
};

/// The pair registered under a name. Throws std::invalid_argument if there is none, if the number of parameters is
/// wrong, or one of them out of its range.
std::shared_ptr<const DominatingPair> dominating_pair(std::string_view name, Parameters parameters);

/// All names, sorted.
std::vector<std::string> pair_names();

}  // namespace hockeystick
