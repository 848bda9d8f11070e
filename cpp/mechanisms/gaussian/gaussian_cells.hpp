// SPDX-License-Identifier: Apache-2.0
// Cells of pairs (P, Q) on the line whose densities are mixtures of unit normals and whose loss L(x) increases: every
// Gaussian mechanism here, plain or sampled, in every direction.
//
// With E(x) = e^(mu x - mu^2/2) each of them satisfies, for a reference point r,
//     e^(L(r)) Q(x) - P(x) = kappa_r(x) (e^(mu (r - x)) - 1),
//     kappa_r(x) = k0(r) phi(x) + k1 phi(x - mu),   k0, k1 >= 0,
// with a non-negative kernel: no distribution functions are subtracted.
#pragma once

#include <span>
#include <vector>

#include "mechanisms/dominating_pair.hpp"

namespace hockeystick {

/// An edge of the loss axis mapped to the line: x(e), -inf or inf outside the range of L.
struct GaussianEdge {
  double x;
  double k0;  // k0(x) above, relative error at most 30 u; unused where x is infinite
};

/// P = weight0 N(0, 1) + weight1 N(mu, 1); the kernel's constant part; the centres [lowest,
/// highest] of all normal densities in P, Q and the kernel.
struct GaussianFamily {
  double mu;
  double weight0, weight1;
  double k1;
  double lowest_centre, highest_centre;
};

/// Edges mapped to the line, and the error of the loss by their rounding [nats].
struct GaussianEdges {
  std::vector<GaussianEdge> at;
  double loss_error = 0;
};

/// Cells and their errors. Cost: 3 to 8 nodes for each cell.
PairCells gaussian_cells(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges);

/// Adds P's tails; the caller adds lower_tail_q.
void add_gaussian_tails(const GaussianFamily& family, std::span<const double> losses, const GaussianEdges& edges,
                        PairCells& cells);

/// Upper bound of the integral over y > x of e^(t (mu y - mu^2/2)) phi(y - mu), t > 0: e^(t (t+1) mu^2/2) times the
/// tail of N((1+t) mu, 1). x may be rounded.
double shifted_tail_moment(double mu, double x, double t);

}  // namespace hockeystick
