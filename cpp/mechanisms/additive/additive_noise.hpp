// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// A noise distribution as its owner knows it: positive on the whole line, symmetric about 0 and log-concave. Each map
/// fills `y` from `x`. Trusted: log_density within accuracy (1 + |y|), distribution within accuracy y where x <= 0, or,
/// where that is below 1e-300, in [0, 1e-300]; it is not asked for x > 0.
struct Noise {
  using Map = std::function<void(std::span<const double> x, std::span<double> y)>;
  Map log_density, distribution;
  double accuracy;
};

/// The noise about `shift` > 0 against the noise about 0. Throws std::invalid_argument if the maps turn out to be
/// inconsistent with what is trusted.
std::shared_ptr<const DominatingPair> additive_noise_pair(Noise noise, double shift);

}  // namespace hockeystick
