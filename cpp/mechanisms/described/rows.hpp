// SPDX-License-Identifier: Apache-2.0
// The rows of the table of mechanisms, by kind.
#pragma once

#include <vector>

#include "mechanisms/described.hpp"

namespace hockeystick::rows {

std::vector<MechanismKind> continuous();
std::vector<MechanismKind> discrete();
std::vector<MechanismKind> sampled();
std::vector<MechanismKind> enclosed();
std::vector<MechanismKind> given();

/// Of a Poisson subsample, whose probability is the first argument.
Mechanism simplest_poisson(const Mechanism& one);

/// The Poisson-sampled form of a pair that is not known where records replace each other; `parameters` come before the
/// sampling probability. Throws NoPair.
inline PairName sampled_pair(const std::string& name, std::vector<double> parameters, Comparison way, double q) {
  if (replaces(way)) throw NoPair("no pair is proved to dominate it on a Poisson subsample");
  parameters.push_back(q);
  return {"poisson_" + name + "_" + std::string(form(way)), std::move(parameters)};
}

/// How far apart two means are: replaced, N(-1) against N(1).
inline double distance(Comparison way) { return replaces(way) ? 2.0 : 1.0; }

}  // namespace hockeystick::rows
