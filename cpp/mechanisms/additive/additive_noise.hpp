// SPDX-License-Identifier: Apache-2.0
// Additive noise with any symmetric log-concave density that the user gives.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// A noise distribution given by the user: positive on the whole line, symmetric about 0 and log-concave. Each map
/// fills `y` from `x`. Trusted: log_density within accuracy (1 + |y|), and distribution, called for x <= 0 only, within
/// accuracy y or, below 1e-300, in [0, 1e-300], and the limit of the slope with which log_density falls, where it is
/// known: inf if it falls ever faster.
struct Noise {
  using Map = std::function<void(std::span<const double> x, std::span<double> y)>;
  Map log_density, distribution;
  double accuracy;
  std::optional<double> steepest = std::nullopt;
};

/// The noise about `shift` > 0 against the noise about 0. Throws std::invalid_argument if the maps contradict these
/// assumptions.
std::shared_ptr<const DominatingPair> additive_noise_pair(Noise noise, double shift);

}  // namespace hockeystick
