// SPDX-License-Identifier: Apache-2.0
// One step of DP-SGD: the Gaussian mechanism on a Poisson subsample, in noise units, with mu = 1 / noise multiplier
// (relative error at most 1.01 u) and sampling probability 0 < q < 1.
#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

#include "mechanisms/gaussian/joint_gaussian.hpp"
#include "mechanisms/gaussian/mixture_loss.hpp"
#include "mechanisms/registry.hpp"

namespace hockeystick {

/// The tighter of the line's bound and of the moved part's, which at large t holds nearly all of the moment: P >= q
/// N(mu,1), so that the moment is at least e^log_lost q^(t+1) M, and at most e^log_gained M, where M is the moment
/// without sampling.
Interval by_moved_part(const Interval& line, double mu, double q, double t, double log_lost, double log_gained);

inline const std::vector<Parameter> sample_parameters{parameter::noise_multiplier, parameter::sampling_probability};

template <class Pair>
std::shared_ptr<const DominatingPair> make_sample(Parameters p) {
  return std::make_shared<Pair>(MixtureLoss(1 / p[0], p[1]));
}

/// Gaussians released together from one sample. Parameters: those of `joint_mu`, then the sampling probability.
template <class Pair>
std::shared_ptr<const DominatingPair> make_joint_sample(Parameters p) {
  if (p.empty()) throw std::invalid_argument("parameters must end with a sampling probability, got none");
  const auto& [name, range] = parameter::sampling_probability;
  return std::make_shared<Pair>(MixtureLoss(joint_mu(p.first(p.size() - 1)), checked(name, p.back(), range)));
}

}  // namespace hockeystick
