// SPDX-License-Identifier: Apache-2.0
// Guesses that a pair makes of its loss, for plans. They have types of their own that no certificate accepts: only the
// mechanisms, the forecasts and the bindings may name them (tests/test_layering.py).
#pragma once

#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// Quadrature nodes of the law of L under P.
struct LossNodes {
  std::vector<double> loss;      // increasing
  std::vector<double> log_mass;  // log of the P-mass at each node
};

/// The atoms of the law of L under P, by increasing finite loss: few, or of a regular pattern. Refers to the pair.
struct AtomSketch {
  std::span<const Atom> at;
  bool all = false;      // whether no other finite loss has mass
  double edge_work = 1;  // cost of one edge of the loss axis, relative to a sampled Gaussian's
};

}  // namespace hockeystick
